// Parts of the till's frame that the first screen does not show.

import { html, nothing } from "/kit/vendor/lit.js";
import { formatMinor } from "/kit/money.js";
import { cardRef, icon } from "./view.js";

/** @typedef {import("./till.js").Till} Till */
/** @typedef {import("./till.js").Entry} Entry */

/**
 * A late answer. It never takes the screen away.
 *
 * @param {Entry} entry
 * @param {() => void} onDismiss
 */
export function notice({ call, note, outcome }, onDismiss) {
  const amount = html`<bdi>${formatMinor(Number(note.amount), String(note.currency))}</bdi>`;
  const isDone = outcome?.kind === "done";
  const text = call === "redeem"
    ? html`${isDone ? "The answer was late, but it went through:" : "Nothing was taken off the card:"} ${amount}, ${cardRef(String(note.ref))}`
    : html`${isDone ? "The answer was late, but the card was issued:" : "No card was issued:"} ${amount}`;
  return html`
    <div class="notice ${isDone ? "ok" : "bad"}">${icon(isDone ? "done" : "refused")}<p>${text}</p>
      <button type="button" class="button quiet" @click=${onDismiss}>Dismiss</button></div>`;
}

/**
 * @param {NonNullable<Till["moving"]>} moving
 * @param {boolean} isSlow
 */
export function callOnItsWay({ call, amount, currency }, isSlow) {
  const money = html`<bdi>${formatMinor(amount, currency)}</bdi>`;
  return html`
    <div class="screen outcome" role="status">
      <div class="stack grow">
        <div class="seal busy">${icon("unknown")}</div>
        <h1 tabindex="-1">${call === "redeem" ? html`Taking ${money} off the card` : html`Issuing a gift card of ${money}`}</h1>
        <p class="lead">${!isSlow ? html`&nbsp;` : call === "redeem"
          ? "The card network is slow. The amount is taken once at most."
          : "The card network is slow. One card is issued at most."}</p>
      </div>
    </div>`;
}

/**
 * @param {Till} till
 * @param {() => void} close
 */
export function aboutDialog(till, close) {
  const { till: self, merchant } = till.pairing ?? {};
  const isOpen = !till.isUnpairable;
  const unpair = () => {
    close();
    void till.unpair();
  };
  return html`
    <h2 id="about-title" dir="auto">${self?.name}</h2>
    <p class="muted" dir="auto">${[self?.storeName, merchant?.name].filter(Boolean).join(", ")}</p>
    <p>${isOpen
      ? "A call is not known yet. Unpairing forgets it: wait until it is known."
      : "Unpairing signs the till out and forgets today's list. It needs a new code from the dashboard to work again."}</p>
    <footer>
      <button type="button" class="button" @click=${close}>Close</button>
      ${isOpen ? nothing : html`<button type="button" class="button danger" @click=${unpair}>Unpair ${self?.name}</button>`}
    </footer>`;
}
