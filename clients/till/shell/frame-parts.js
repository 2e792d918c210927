// Parts of the till's frame that the first screen does not show.

import { html, nothing } from "/kit/vendor/lit.js";
import { formatMinor } from "/kit/money.js";
import { areSignalsOn, setSignals } from "./presence.js";
import { cardRef, icon } from "./view.js";

/** @typedef {import("../till.js").Till} Till */
/** @typedef {import("../till.js").Entry} Entry */

/**
 * A late answer. It never takes the screen away.
 *
 * @param {Entry} entry
 * @param {() => void} onDismiss
 */
export function notice({ call, note, outcome }, onDismiss) {
  const amount = html`<bdi>${formatMinor(Number(note.amount), String(note.currency))}</bdi>`;
  const isDone = outcome?.kind === "done";
  const text =
    call === "redeem"
      ? html`${isDone ? "The answer was late, but it went through:" : "Nothing was taken off the card:"} ${amount},
        ${cardRef(String(note.ref))}`
      : html`${isDone ? "The answer was late, but the card was issued:" : "No card was issued:"} ${amount}`;
  return html` <div class="notice ${isDone ? "ok" : "bad"}">
    ${icon(isDone ? "done" : "refused")}
    <p>${text}</p>
    <button type="button" class="button quiet" @click=${onDismiss}>Dismiss</button>
  </div>`;
}

/** @param {Till} till */
export function noJournalNotice({ hasNoJournal }) {
  return hasNoJournal
    ? html` <div class="notice bad">
        ${icon("warning")}
        <p>
          This browser saves nothing for the till, so no money can be moved. Leave the private window, or allow storage
          for this page, and reload it.
        </p>
      </div>`
    : nothing;
}

/**
 * The till was unpaired, but its access has not ended.
 *
 * @param {Till} till
 */
export function revokedNotice({ cannotRevoke }) {
  return cannotRevoke
    ? html` <div class="notice warn">
        ${icon("warning")}
        <p>
          The portal could not be reached, so this device's access still works. It ends as soon as the portal can be
          reached from here. To end it now, revoke the till in the dashboard under Stores and tills.
        </p>
      </div>`
    : nothing;
}

/**
 * @param {NonNullable<Till["moving"]>} moving
 * @param {boolean} isSlow
 */
export function callOnItsWay({ call, amount, currency }, isSlow) {
  const money = html`<bdi>${formatMinor(amount, currency)}</bdi>`;
  return html` <div class="screen outcome" role="status">
    <div class="stack grow">
      <div class="seal busy">${icon("unknown")}</div>
      <h1 tabindex="-1">
        ${call === "redeem" ? html`Taking ${money} off the card` : html`Issuing a gift card of ${money}`}
      </h1>
      <p class="lead">
        ${
          !isSlow
            ? html`&nbsp;`
            : call === "redeem"
              ? "The card network is slow. The amount is taken once at most."
              : "The card network is slow. One card is issued at most."
        }
      </p>
    </div>
  </div>`;
}

/**
 * @param {Till} till
 * @param {() => void} close
 */
export function aboutDialog(till, close) {
  const { till: self, merchant } = till.pairing ?? {};
  const isOpen = !till.mayUnpair;
  const unpair = () => {
    close();
    void till.unpair();
  };
  return html` <h2 id="about-title" dir="auto">${self?.name}</h2>
    <p class="muted" dir="auto">${[self?.storeName, merchant?.name].filter(Boolean).join(", ")}</p>
    <p>
      ${
        isOpen
          ? "The outcome of a call is not known yet. Unpairing forgets it: wait until it is known."
          : "Unpairing signs the till out and forgets today's list. It needs a new code from the dashboard to work again."
      }
    </p>
    <label class="check"
      ><input
        type="checkbox"
        .checked=${areSignalsOn()}
        @change=${(/** @type {{target: HTMLInputElement}} */ { target }) => setSignals(target.checked)}
      />
      Sound and vibration when a call is done or refused</label
    >
    <footer>
      <button type="button" class="button" @click=${close}>Close</button>
      ${isOpen ? nothing : html`<button type="button" class="button danger" @click=${unpair}>Unpair ${self?.name}</button>`}
    </footer>`;
}
