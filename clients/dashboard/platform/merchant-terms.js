// Terms of a merchant, changed by a platform administrator: what it is paid, and how it sells.

import { html, nothing } from "/kit/vendor/lit.js";
import { parseAmount, typedAmount } from "/kit/typed-amount.js";
import { maxLength } from "../forms/bounds.js";
import { field } from "../forms/forms.js";
import { askWithReason } from "../forms/reason-dialog.js";

/** @typedef {import("./merchant-decisions.js").Merchant} Merchant */
/** @typedef {import("./merchant-decisions.js").Changes} Changes */
/** @typedef {import("./merchant-decisions.js").Save} Save */
/** @typedef {Record<string, string>} Values */

const SETTLED = /** @type {const} */ ([
  ["", "Not set: both"],
  ["SETTLEMENT_ON_SALE", "On sale"],
  ["SETTLEMENT_ON_REDEMPTION", "On redemption"],
]);

/** Fee, delay and mode. @param {Merchant} merchant @param {Save} save */
export function editSettlement(merchant, save) {
  const unit = merchant.profile.currency ?? "EUR";
  return edit({
    title: `Settlement of ${merchant.name}`,
    verb: "Change the terms",
    save,
    fields: (errors) =>
      html`<p class="muted">Fee and delay apply to later redemptions.</p>
        <div class="two">${percentField(merchant, errors)}${fixedFeeField(merchant, unit, errors)}</div>
        <div class="two">${delayField(merchant, errors)}${modeField(merchant)}</div>`,
    check: ({ percent = "", fixed = "", payoutDelayDays = "" }) => ({
      ...(basisPoints(percent) === null && { percent: "Enter 0 to 100, with at most two decimals." }),
      ...(parseAmount(fixed, unit) === null && { fixed: `Enter an amount in ${unit}.` }),
      ...(!isDelay(payoutDelayDays) && { payoutDelayDays: "Enter 0 to 365 days." }),
    }),
    read: ({ percent = "", fixed = "", payoutDelayDays, settlementMode }) => ({
      fees: { percentBps: basisPoints(percent) ?? 0, fixedMinor: parseAmount(fixed, unit) ?? 0 },
      payoutDelayDays: Number(payoutDelayDays),
      ...((settlementMode === "SETTLEMENT_ON_SALE" || settlementMode === "SETTLEMENT_ON_REDEMPTION") && {
        settlementMode,
      }),
    }),
  });
}

/** Network account, address of the shop, default offer, largest sale. @param {Merchant} merchant @param {Save} save */
export function editSelling(merchant, save) {
  const unit = merchant.profile.currency ?? "EUR";
  const before = {
    networkMerchantId: merchant.networkMerchantId ?? "",
    slug: merchant.slug,
    defaultOfferId: merchant.defaultOfferId ?? "",
    maxSale: merchant.maxSaleMinor === null ? "" : typedAmount(merchant.maxSaleMinor, unit),
  };
  return edit({
    title: `Selling by ${merchant.name}`,
    verb: "Change the settings",
    save,
    fields: (errors) =>
      html`${networkField(before.networkMerchantId, errors)}${slugField(before.slug, errors)}
        <div class="two">
          ${offerField(before.defaultOfferId, errors)}${largestSaleField(before.maxSale, unit, errors)}
        </div>`,
    check: ({ networkMerchantId = "", slug = "", defaultOfferId = "", maxSale = "" }) => ({
      ...(!isId(networkMerchantId) && { networkMerchantId: "Enter digits only." }),
      ...(!isId(defaultOfferId) && { defaultOfferId: "Enter digits only." }),
      ...(!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug) && { slug: "Use a-z, 0-9 and single dashes inside." }),
      ...(maxSale !== "" && !parseAmount(maxSale, unit) && { maxSale: `Enter an amount in ${unit}, or nothing.` }),
    }),
    read: ({ networkMerchantId, slug, defaultOfferId, maxSale = "" }) => ({
      ...(networkMerchantId !== before.networkMerchantId && { networkMerchantId: networkMerchantId || null }),
      ...(slug && slug !== before.slug && { slug }),
      ...(defaultOfferId !== before.defaultOfferId && { defaultOfferId: defaultOfferId || null }),
      ...(maxSale !== before.maxSale && { maxSaleMinor: maxSale ? parseAmount(maxSale, unit) : null }),
    }),
  });
}

/**
 * @param {{title: string, verb: string, save: Save, fields: (errors: Values) => unknown,
 *   check: (values: Values) => Values, read: (values: Values) => Changes}} form
 */
function edit({ title, verb, save, fields, check, read }) {
  return askWithReason({
    title,
    verb,
    failed: "Nothing was changed.",
    done: "The merchant was changed.",
    fields,
    check,
    act: (values, reason) => save(read(values), reason),
  });
}

/** Hundredths of a percent, as those of a currency with two decimals; null if it is no rate. @param {string} percent */
function basisPoints(percent) {
  const rate = parseAmount(percent, "EUR");
  return rate !== null && rate <= 10_000 ? rate : null;
}

/** @param {string} days */
const isDelay = (days) => /^\d{1,3}$/.test(days) && Number(days) <= 365;

/** @param {string} text */
const isId = (text) => /^(0|[1-9]\d{0,19})?$/.test(text);

/** @param {Merchant} merchant @param {Values} errors */
function percentField({ fees }, { percent: error }) {
  const value = typedAmount(fees.percentBps, "EUR");
  return field({ name: "percent", label: "Fee in percent", value, inputmode: "decimal", error });
}

/** @param {Merchant} merchant @param {string} unit @param {Values} errors */
function fixedFeeField({ fees }, unit, { fixed: error }) {
  const value = typedAmount(fees.fixedMinor, unit);
  return field({ name: "fixed", label: `Fixed fee in ${unit}`, value, inputmode: "decimal", error });
}

/** @param {Merchant} merchant @param {Values} errors */
function delayField(merchant, { payoutDelayDays: error }) {
  const value = String(merchant.payoutDelayDays);
  return field({ name: "payoutDelayDays", label: "Paid after days", value, inputmode: "numeric", error });
}

/** It can be set once. @param {Merchant} merchant */
function modeField({ settlementMode }) {
  if (settlementMode) return nothing;
  return field({ name: "settlementMode", label: "Settled", options: SETTLED, hint: "This cannot be changed later." });
}

/** @param {string} value @param {Values} errors */
function networkField(value, { networkMerchantId: error }) {
  const hint =
    "It is looked up at the card network. Without one, the business has no offers, no stores and cannot sell.";
  return field({ name: "networkMerchantId", label: "Network account", value, inputmode: "numeric", hint, error });
}

/** @param {string} value @param {Values} errors */
function slugField(value, { slug: error }) {
  const hint = "Links to the previous address stop working.";
  const maxlength = maxLength.changeMerchant.slug;
  return field({ name: "slug", label: "Address of the shop", value, maxlength, hint, error });
}

/** @param {string} value @param {Values} errors */
function offerField(value, { defaultOfferId: error }) {
  const hint = "What a till sells if the sale names no offer. Empty: the first that can be sold.";
  return field({ name: "defaultOfferId", label: "Default offer", value, inputmode: "numeric", hint, error });
}

/** @param {string} value @param {string} unit @param {Values} errors */
function largestSaleField(value, unit, { maxSale: error }) {
  const hint = "At a till. Empty: no limit.";
  return field({ name: "maxSale", label: `Largest sale in ${unit}`, value, inputmode: "decimal", hint, error });
}
