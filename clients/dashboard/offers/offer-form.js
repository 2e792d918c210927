// The form of an offer.

import { html, nothing } from "/kit/vendor/lit.js";
import { exponentOf, formatMinor } from "/kit/money.js";
import { field } from "../forms/forms.js";
import { icon } from "../shell/icons.js";
import { imageField } from "../forms/image-field.js";
import { segmented } from "../shell/parts.js";

/** @typedef {import("./offer-values.js").OfferValues} OfferValues */
/** @typedef {import("./offer-values.js").Field} Field */

const KINDS = /** @type {const} */ ([
  ["range", "Any amount"],
  ["amounts", "Set amounts"],
  ["fixed", "One price"],
]);
const USAGES = /** @type {const} */ ([
  ["BOTH", "Shop and tills"],
  ["WEB", "Shop"],
  ["POS", "Tills"],
]);

/**
 * @param {object} form
 * @param {OfferValues} form.values
 * @param {boolean} form.isNew
 * @param {string} form.busy
 * @param {unknown} form.imageRefused why the last one was not stored
 * @param {() => void} form.draw
 * @param {(file: File) => void} form.upload
 * @param {() => void} form.removeImage
 */
export function offerFields({ values, isNew, busy, imageRefused, draw, upload, removeImage }) {
  /** @param {Field} name */
  const bind = (name) => ({
    name,
    value: values.text[name],
    error: values.errors[name],
    oninput: (/** @type {string} */ value) => {
      values.set(name, value);
      draw();
    },
    onleave: () => {
      values.check(name);
      draw();
    },
  });
  return html`${field({ ...bind("name"), label: "Name", required: true, maxlength: 200 })}
    ${field({ ...bind("description"), label: "Description", rows: 3, maxlength: 2000, hint: "Customers read it beside the card." })}
    <fieldset>
      <legend>Price</legend>
      ${isNew ? kindChoice(values, draw) : html`<p class="muted">${KINDS.find(([kind]) => kind === values.kind)?.[1]}</p>`}
      ${priceFields(values, bind, draw)}
    </fieldset>
    <div class="two">
      ${field({ ...bind("days"), label: "Works for how many days", inputmode: "numeric", hint: daysHint(values) })}
      ${isNew ? field({ ...bind("usage"), label: "Sold in", options: USAGES, hint: "It cannot be changed later." }) : nothing}
    </div>
    ${imageField({
      name: "image",
      label: "Image",
      without: "Without one, the card is drawn.",
      image: values.image !== null,
      busy: busy === "image",
      refused: imageRefused,
      upload,
      removeImage,
    })}`;
}

/** @param {OfferValues} values @param {() => void} draw */
function kindChoice(values, draw) {
  const choice = segmented("Kind of price", KINDS, values.kind, (kind) => {
    values.kind = kind;
    values.errors = {};
    draw();
  });
  return html`<div>${choice}</div>
    <p class="small muted">The kind of price cannot be changed later.</p>`;
}

/** @param {OfferValues} values */
function daysHint({ hadDays }) {
  return hadDays
    ? "Counted from the sale."
    : "Counted from the sale. Empty: it does not expire. The number can be changed later, but not removed.";
}

/** @param {OfferValues} values @param {(name: Field) => object & {name: string}} bind @param {() => void} draw */
function priceFields(values, bind, draw) {
  const { currency, kind } = values;
  const hint = exponentOf(currency) === 0 ? `${currency} has no decimals.` : `In ${currency}`;
  if (kind === "fixed") return field({ ...bind("price"), label: "Price", inputmode: "decimal", hint });
  if (kind === "amounts") return amountsField(values, bind("amount"), hint, draw);
  return html`<div class="two">
    ${field({ ...bind("min"), label: "From", inputmode: "decimal", hint })}
    ${field({ ...bind("max"), label: "To", inputmode: "decimal" })}
  </div>`;
}

/**
 * Amounts as chips, each with what it will read like.
 * @param {OfferValues} values
 * @param {object & {name: string}} bound
 * @param {string} hint
 * @param {() => void} draw
 */
function amountsField(values, bound, hint, draw) {
  const add = () => {
    values.addAmounts();
    draw();
  };
  /** @param {KeyboardEvent} event */
  const addByEnter = (event) => {
    if (event.key !== "Enter" || !values.text.amount.trim()) return;
    event.preventDefault();
    add();
  };
  return html`<div class="chips-field" @keydown=${addByEnter}>
    ${values.amounts.length ? chips(values, draw) : nothing}
    <div class="line">
      ${field({ ...bound, label: "Amounts", hint: `${hint}. Several at once, such as 100, 200, 500`, onleave: add })}
      <button class="button" type="button" @click=${add}>Add</button>
    </div>
  </div>`;
}

/** @param {OfferValues} values @param {() => void} draw */
function chips(values, draw) {
  return html`<ul class="chips" aria-label="Amounts to choose from">
    ${values.amounts.map((amount) => {
      const text = formatMinor(amount, values.currency);
      const remove = () => {
        values.removeAmount(amount);
        draw();
      };
      return html`<li class="chip">
        <bdi>${text}</bdi
        ><button type="button" aria-label=${`Remove ${text}`} @click=${remove}>${icon("close")}</button>
      </li>`;
    })}
  </ul>`;
}
