// How the customer gets a card: on the till's screen, or sent by the card network.

import { createRef, html, ref } from "/kit/vendor/lit.js";
import { t } from "../shell/text.js";
import { View, icon } from "../shell/view.js";

/**
 * @typedef {{deliveryType: "QR"} | {deliveryType: "EMAIL", email: string} | {deliveryType: "SMS", phoneNumber: string}} Delivery
 * @typedef {Delivery["deliveryType"]} Way
 */

/** @type {Delivery} */
export const ON_SCREEN = { deliveryType: "QR" };

/** Ids of messages. @type {Record<Way, string>} */
const WAYS = { QR: "delivery-screen", EMAIL: "delivery-email", SMS: "delivery-sms" };
const EXAMPLES = { EMAIL: "name@example.com", SMS: "+46 70 123 45 67" };

/** Emits `delivery` with a Delivery as its detail. */
class DeliveryPicker extends View {
  static properties = { value: { attribute: false }, way: { state: true }, error: { state: true } };

  constructor() {
    super();
    /** @type {Delivery} */
    this.value = ON_SCREEN;
    /** @type {Way} */
    this.way = "QR";
    this.error = "";
    /** @type {import("/kit/vendor/lit.js").Ref<HTMLDialogElement>} */
    this.dialog = createRef();
  }

  render() {
    return html` <button type="button" class="panel delivery" aria-haspopup="dialog" @click=${this.#open}>
        ${icon("send")}
        <span
          ><span class="muted">${t("delivery-label")}</span>
          <b><bdi>${addressOf(this.value) || t("delivery-on-this-screen")}</bdi></b></span
        >
        <span class="change">${t("delivery-change")}</span>
      </button>
      <dialog ${ref(this.dialog)} aria-labelledby="delivery-title">
        <form class="stack" novalidate @submit=${this.#accept}>
          <h2 id="delivery-title">${t("delivery-title")}</h2>
          <div class="segmented" role="group" aria-labelledby="delivery-title">
            ${ways.map(
              (way) =>
                html` <button type="button" aria-pressed=${way === this.way} @click=${() => this.#choose(way)}>
                  ${t(WAYS[way])}
                </button>`,
            )}
          </div>
          ${this.#field()}
          <footer>
            <button type="button" class="button" @click=${() => this.dialog.value?.close()}>${t("cancel")}</button>
            <button class="button primary">${t(this.way === "QR" ? "delivery-show" : "delivery-send")}</button>
          </footer>
        </form>
      </dialog>`;
  }

  #field() {
    if (this.way === "QR") {
      return html`<p class="muted">${t("delivery-screen-hint")}</p>`;
    }
    const isEmail = this.way === "EMAIL";
    const hint = isEmail ? t("delivery-email-hint") : t("delivery-sms-hint", { example: EXAMPLES.SMS });
    return html` <div class="field">
      <label for="address">${t(isEmail ? "delivery-email-label" : "delivery-sms-label")}</label>
      <input
        id="address"
        class="input"
        type=${isEmail ? "email" : "tel"}
        inputmode=${isEmail ? "email" : "tel"}
        autocomplete="off"
        maxlength="254"
        spellcheck="false"
        enterkeyhint="done"
        data-no-scan
        aria-invalid=${this.error !== ""}
        aria-describedby="address-hint"
        .value=${addressOf(this.value)}
        @input=${() => (this.error = "")}
      />
      ${
        this.error
          ? html`<span id="address-hint" class="error" role="alert">${this.error}</span>`
          : html`<span id="address-hint" class="hint">${hint}</span>`
      }
    </div>`;
  }

  #open() {
    this.way = this.value.deliveryType;
    this.error = "";
    this.dialog.value?.showModal();
  }

  /** @param {Way} way */
  async #choose(way) {
    this.way = way;
    this.error = "";
    await this.updateComplete;
    this.querySelector("input")?.focus();
  }

  /** @param {Event} event */
  #accept(event) {
    event.preventDefault();
    const field = this.querySelector("input");
    const delivery = readDelivery(this.way, field?.value ?? "");
    if (delivery) {
      this.dialog.value?.close();
      this.dispatchEvent(new CustomEvent("delivery", { detail: delivery }));
    } else {
      this.error =
        this.way === "EMAIL" ? t("delivery-email-wrong", { example: EXAMPLES.EMAIL }) : t("delivery-sms-wrong");
      field?.focus();
    }
  }
}

const ways = /** @type {Way[]} */ (Object.keys(WAYS));

/**
 * @param {Way} way
 * @param {string} text
 * @returns {Delivery | null} null: that is no address
 */
function readDelivery(way, text) {
  const address = text.trim();
  if (way === "QR") return ON_SCREEN;
  if (way === "EMAIL")
    return /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(address) ? { deliveryType: "EMAIL", email: address } : null;
  const phoneNumber = address.replace(/^00/, "+").replaceAll(/[\s().-]/g, "");
  return /^\+\d{7,15}$/.test(phoneNumber) ? { deliveryType: "SMS", phoneNumber } : null;
}

/** @param {Delivery} delivery */
function addressOf(delivery) {
  return delivery.deliveryType === "EMAIL"
    ? delivery.email
    : delivery.deliveryType === "SMS"
      ? delivery.phoneNumber
      : "";
}

/**
 * What the journal keeps of it: enough to recognise the address, not enough to use it.
 *
 * @param {Delivery} delivery
 * @returns {{sentTo?: string}}
 */
export function deliveryNote(delivery) {
  const address = addressOf(delivery);
  if (delivery.deliveryType === "EMAIL") return { sentTo: address.replace(/^(.).*(?=@)/, "$1•••") };
  return delivery.deliveryType === "SMS" ? { sentTo: `•••${address.slice(-3)}` } : {};
}

/**
 * @param {Delivery} value
 * @param {(delivery: Delivery) => void} onChange
 */
export function deliveryPicker(value, onChange) {
  const change = (/** @type {CustomEvent<Delivery>} */ { detail }) => onChange(detail);
  return html`<till-delivery .value=${value} @delivery=${change}></till-delivery>`;
}

customElements.define("till-delivery", DeliveryPicker);
