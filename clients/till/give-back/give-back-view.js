// Give back: store credit for a redemption, at most what was redeemed and not yet given back, with a reason.

import { html, nothing } from "/kit/vendor/lit.js";
import { ON_SCREEN } from "../sell/delivery.js";
import { keypad, newEntry } from "../shell/keypad.js";
import { findHistory, findOffers } from "../cards/look-ups.js";
import { isWithin, rangeOf } from "../sell/offer-prices.js";
import { OTHER, reasonStep } from "./reason-step.js";
import { givenBack } from "./redemption.js";
import { money } from "../shell/formats.js";
import { around, t } from "../shell/text.js";
import { View, amountClass, cardRef, icon } from "../shell/view.js";

/** @typedef {import("./redemption.js").Redemption} Redemption */
/** @typedef {import("../till.js").Offer} Offer */

class GiveBackView extends View {
  static properties = {
    till: { attribute: false },
    offer: { state: true },
    given: { state: true },
    step: { state: true },
    reason: { state: true },
    delivery: { state: true },
    error: { state: true },
  };

  isAtStart = false;
  isEngaged = true;

  constructor() {
    super();
    /** @type {import("../till.js").Till | null} */
    this.till = null;
    /** What is issued; undefined while it is looked for, null if there is none. @type {Offer | null | undefined} */
    this.offer = undefined;
    /** What has been given back already, minor units. */
    this.given = 0;
    /** @type {import("../shell/amount-entry.js").AmountEntry | null} */
    this.entry = null;
    /** @type {"amount" | "reason"} */
    this.step = "amount";
    this.reason = "";
    this.otherReason = "";
    /** @type {import("../sell/delivery.js").Delivery} */
    this.delivery = ON_SCREEN;
    this.error = "";
  }

  firstUpdated() {
    void this.#load();
  }

  /** Done, or given up. */
  reset() {
    if (this.till) this.till.givingBack = null;
    this.till?.dispatchEvent(new Event("change"));
  }

  back() {
    if (this.step === "amount") return this.reset();
    this.step = "amount";
    void this.focusHeading();
  }

  /**
   * @param {string} key
   * @param {{at: number, isFast: boolean}} stroke
   */
  press(key, stroke) {
    if (!this.entry) return;
    this.error = "";
    if (key !== "Enter") {
      if (this.step === "amount") this.entry.press(key, stroke);
    } else if (this.entry.mayPay(stroke)) {
      if (this.step === "amount") this.#goOn();
      else void this.#give();
    }
    this.requestUpdate();
  }

  /** @param {number} count keys that were a scanner's */
  undo(count) {
    this.entry?.undo(count);
    this.requestUpdate();
  }

  render() {
    const redemption = this.till?.givingBack;
    if (!redemption) return nothing;
    if (this.offer === undefined) return loading();
    const { offer, entry } = this;
    if (!offer || !entry) return this.#impossible(t("give-back-no-credit"));
    if (this.#most(redemption) <= 0) return this.#impossible(t("give-back-all"));
    return this.step === "amount"
      ? this.#amountStep(redemption, entry.amount)
      : this.#reasonStep(redemption, entry.amount);
  }

  /** @param {string} why */
  #impossible(why) {
    return html` <div class="screen">
      <div class="stack grow">
        <h1 tabindex="-1">${t("give-back")}</h1>
        <div class="notice warn" role="alert">
          ${icon("warning")}
          <p>${why}</p>
        </div>
      </div>
      <div class="actions">
        <button type="button" class="button large primary" @click=${this.reset}>${t("frame-back")}</button>
      </div>
    </div>`;
  }

  /**
   * @param {Redemption} redemption
   * @param {number} amount
   */
  #amountStep(redemption, amount) {
    const { currency, ref } = redemption;
    const shown = (/** @type {number} */ minor) => html`<bdi>${money(minor, currency)}</bdi>`;
    const note = this.entry?.note && t(...this.entry.note);
    return html` <div class="screen amount">
      <div class="stack what">
        <h1 tabindex="-1">${t("give-back")}</h1>
        <dl class="facts panel">
          <div>
            <dt>${around("give-back-redeemed", { card: cardRef(ref) })}</dt>
            <dd>${shown(redemption.amount)}</dd>
          </div>
          ${
            this.given > 0
              ? html`<div>
                  <dt>${t("give-back-already")}</dt>
                  <dd>${shown(this.given)}</dd>
                </div>`
              : nothing
          }
        </dl>
        <div class="total">
          <span id="credit-label">${t("sell-credit-for-customer")}</span>
          <output aria-labelledby="credit-label" class=${amountClass(amount)}>${shown(amount)}</output>
          <span class="note ${this.error ? "error" : note ? "said" : ""}" role=${this.error ? "alert" : "status"}>
            ${this.error || note || around("give-back-at-most", { amount: shown(this.#most(redemption)) })}</span
          >
        </div>
      </div>
      ${keypad(currency, (key, stroke) => this.press(key, stroke))}
      <div class="actions">
        <button type="button" class="button large primary" data-pays aria-disabled=${amount === 0} @click=${this.#goOn}>
          ${t(amount === 0 ? "enter-amount" : "give-back-continue")}
        </button>
      </div>
    </div>`;
  }

  /**
   * @param {Redemption} redemption
   * @param {number} amount
   */
  #reasonStep(redemption, amount) {
    const { reason, otherReason, delivery, error } = this;
    return reasonStep(redemption, {
      ...{ amount, reason, otherReason, delivery, error },
      onReason: (chosen) => void this.#because(chosen),
      onOther: (text) => ([this.otherReason, this.error] = [text, ""]),
      onDelivery: (chosen) => (this.delivery = chosen),
      onGive: () => void this.#give(),
    });
  }

  async #load() {
    const { till } = this;
    const redemption = till?.givingBack;
    if (!till || !redemption) return;
    void import("../sell/sold-card-view.js");
    const [{ catalog }, given] = await Promise.all([findOffers(till), this.#findGiven(redemption)]);
    this.given = given;
    this.entry = newEntry(redemption.currency, this.#most(redemption));
    this.offer = catalog?.credit.find(({ currency }) => currency === redemption.currency) ?? null;
    void this.focusHeading();
  }

  /** What this till knows of, or more if the API knows of more. @param {Redemption} redemption */
  async #findGiven(redemption) {
    if (!this.till) return 0;
    const own = givenBack(this.till.entries, redemption.redemptionId);
    if (!redemption.code) return Math.max(own, redemption.given);
    const { history } = await findHistory(this.till, redemption.code, null);
    const event = history?.events.find(({ redemptionId }) => redemptionId === redemption.redemptionId);
    return Math.max(own, redemption.given, event?.refundedMinor ?? 0);
  }

  /** @param {Redemption} redemption */
  #most({ amount }) {
    return amount - this.given;
  }

  #goOn() {
    const redemption = this.till?.givingBack;
    if (!redemption || !this.entry || !this.offer) return;
    const { amount } = this.entry;
    const most = this.#most(redemption);
    if (amount > most) this.error = t("enter-at-most", { amount: money(most, redemption.currency) });
    else if (!isWithin(amount, this.offer)) this.error = rangeOf(this.offer);
    if (this.error) return;
    this.step = "reason";
    // The second press of a double one finds the next button, which then has nothing to give.
    this.reason = "";
    void this.focusHeading();
  }

  /** @param {string} reason */
  async #because(reason) {
    this.reason = reason;
    this.error = "";
    await this.updateComplete;
    this.querySelector("input")?.focus();
  }

  async #give() {
    const { till, offer, entry } = this;
    const redemption = till?.givingBack;
    if (!till || !redemption || !offer || !entry) return;
    const reason = this.reason === OTHER ? this.otherReason.trim() : this.reason;
    if (!reason) {
      this.error = t(this.reason === OTHER ? "give-back-reason-missing" : "give-back-choose");
      return;
    }
    const outcome = await till.sell(offer, entry.amount, this.delivery, {
      redemptionId: redemption.redemptionId,
      reason,
    });
    if (outcome) this.dispatchEvent(new CustomEvent("outcome", { detail: outcome, bubbles: true }));
  }
}

const loading = () =>
  html` <div class="screen">
    <div class="stack grow">
      <h1 tabindex="-1">${t("give-back")}</h1>
      <div class="skeleton offer" role="status" aria-label=${t("give-back-loading")}></div>
    </div>
  </div>`;

customElements.define("till-give-back", GiveBackView);
export { GiveBackView };
