// What is typed of an offer: from the offer, checked, and as a request.

import { toMinor } from "/kit/decimals.js";
import { exponentOf, fromMinor } from "/kit/money.js";
import { parseAmount, typedAmount } from "/kit/typed-amount.js";
import { imageOf, priceKind } from "./offers-view.js";

/** @typedef {import("./offers-view.js").Offer} Offer */
/** @typedef {"name" | "description" | "price" | "min" | "max" | "amount" | "days" | "usage"} Field */

/** As the card network bounds a list. */
const MAX_AMOUNTS = 50;

export class OfferValues {
  /** @type {"fixed" | "amounts" | "range"} */
  kind = "range";
  /** @type {Record<Field, string>} */
  text = { name: "", description: "", price: "", min: "", max: "", amount: "", days: "1095", usage: "BOTH" };
  /** The amounts to choose from, in minor units. @type {number[]} */
  amounts = [];
  /** Address of the image to keep, and where this page sees it. @type {{kept: string, seen: string} | null} */
  image = null;
  /** Of a saved offer: the card network can change it, not remove it. */
  hadDays = false;
  hadImage = false;
  /** @type {Partial<Record<Field, string>>} */
  errors = {};

  /** @param {string} currency */
  constructor(currency) {
    this.currency = currency;
  }

  /** @param {Offer} offer */
  static of(offer) {
    const values = new OfferValues(offer.currency);
    const days = offer.numberOfDaysCardIsValidFromPurchaseTime;
    /** @param {number | null} units */
    const amount = (units) => (units === null ? "" : values.typed(units));
    values.kind = priceKind(offer);
    values.hadDays = days !== null;
    values.text = {
      ...values.text,
      name: offer.name,
      description: offer.description ?? "",
      price: amount(offer.defaultPrice),
      min: amount(offer.min),
      max: amount(offer.max),
      days: days === null ? "" : String(days),
    };
    values.amounts = offer.denominations.flatMap((units) => toMinor(units, offer.currency) ?? []);
    const address = imageOf(offer);
    values.hadImage = address !== null;
    values.image = address ? { kept: address, seen: address } : null;
    return values;
  }

  /** An amount of the card network, as a person types it. @param {number} units */
  typed(units) {
    const minor = toMinor(units, this.currency);
    return minor === null ? String(units) : typedAmount(minor, this.currency);
  }

  /** @param {Field} name */
  amountIn(name) {
    const amount = parseAmount(this.text[name], this.currency);
    return amount === 0 ? null : amount;
  }

  /** @param {Field} name @param {string} value */
  set(name, value) {
    this.text[name] = value;
    if (name === "amount" && /[;\n]|,\s/.test(value)) this.addAmounts({ keepLast: true });
    else if (this.errors[name]) this.check(name);
  }

  /**
   * Makes what is typed amounts of the list: one, or several between semicolons or commas with a space. "1,000" is one.
   * @param {{keepLast?: boolean}} [options] `keepLast`: the last is still being typed
   */
  addAmounts({ keepLast = false } = {}) {
    const parts = this.text.amount.split(/[;\n]|,(?=\s|$)/).map((part) => part.trim());
    const last = keepLast ? (parts.pop() ?? "") : "";
    const refused = parts.filter((part) => part && !this.addAmount(parseAmount(part, this.currency)));
    this.text.amount = [...refused, last].join("; ").trim();
    this.errors.amount = refused.length ? this.amountError() : "";
  }

  /** @param {number | null} amount */
  addAmount(amount) {
    if (!amount || this.amounts.length >= MAX_AMOUNTS) return false;
    this.amounts = [...new Set([...this.amounts, amount])].sort((a, b) => a - b);
    return true;
  }

  /** @param {number} amount */
  removeAmount(amount) {
    this.amounts = this.amounts.filter((one) => one !== amount);
  }

  /** @param {Field} name */
  check(name) {
    this.errors[name] = this.errorOf(name);
  }

  /** Checks everything. @returns {boolean} whether it can be saved */
  checkAll() {
    if (this.kind === "amounts") this.addAmounts();
    for (const name of /** @type {const} */ (["name", "price", "min", "max", "amount", "days"])) this.check(name);
    return !Object.values(this.errors).some(Boolean);
  }

  /** @param {Field} name */
  errorOf(name) {
    const { kind } = this;
    if (name === "name") return this.text.name.trim() ? "" : "Enter a name.";
    if (name === "days") return this.daysError();
    if (name === "price") return kind === "fixed" && this.amountIn("price") === null ? this.amountError() : "";
    if (name === "min") return kind === "range" && this.amountIn("min") === null ? this.amountError() : "";
    if (name === "max") return kind === "range" ? this.maxError() : "";
    if (name === "amount") return kind === "amounts" ? this.amountsError() : "";
    return "";
  }

  daysError() {
    const days = this.text.days.trim();
    if (days === "")
      return this.hadDays ? "Enter a number of days. It can be changed, but not removed from an offer." : "";
    return /^[1-9]\d{0,4}$/.test(days) ? "" : "Enter a whole number of days.";
  }

  maxError() {
    const [min, max] = [this.amountIn("min"), this.amountIn("max")];
    if (max === null) return this.amountError();
    return min !== null && max < min ? "Enter more than the lowest amount." : "";
  }

  amountsError() {
    if (this.text.amount.trim())
      return this.amounts.length >= MAX_AMOUNTS ? "At most 50 amounts are possible." : this.amountError();
    return this.amounts.length ? "" : this.amountError();
  }

  amountError() {
    return exponentOf(this.currency) === 0
      ? `Enter a whole amount. ${this.currency} has no decimals.`
      : `Enter an amount, such as ${this.typed(12.5)}.`;
  }

  /** The prices as typed so far, in currency units. */
  prices() {
    /** @param {Field} name */
    const units = (name) => this.units(this.amountIn(name));
    const { kind, currency } = this;
    return {
      currency,
      priceLocked: kind === "fixed",
      defaultPrice: kind === "fixed" ? units("price") : null,
      denominations: kind === "amounts" ? this.amounts.flatMap((amount) => this.units(amount) ?? []) : [],
      min: kind === "range" ? units("min") : null,
      max: kind === "range" ? units("max") : null,
    };
  }

  /** @param {number | null} minor */
  units(minor) {
    return minor === null ? null : Number(fromMinor(minor, this.currency));
  }

  imageRequest() {
    if (this.image) return { giftCardDesign: [{ urlImage: this.image.kept }] };
    return this.hadImage ? { giftCardDesign: [], urlGiftcardResource: "" } : {};
  }

  /** What a request says: all that the page shows, empty where it is empty. */
  request() {
    const { defaultPrice, denominations, min, max, priceLocked, currency } = this.prices();
    return {
      name: this.text.name.trim(),
      description: this.text.description.trim() || null,
      currency,
      priceLocked,
      ...(defaultPrice !== null && { defaultPrice }),
      ...(this.kind === "amounts" && { denominations }),
      ...(min !== null && { minPrice: min }),
      ...(max !== null && { maxPrice: max }),
      ...(this.text.days.trim() && { numberOfDaysCardIsValidFromPurchaseTime: Number(this.text.days) }),
      ...this.imageRequest(),
    };
  }
}
