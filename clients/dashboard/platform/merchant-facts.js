// What is known of a merchant, for a platform administrator, in panels.

import { html, nothing } from "/kit/vendor/lit.js";
import { wordOf } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDate, formatDateTime } from "/kit/time.js";
import { formatFee } from "../payouts/fees.js";
import { dayCount, fieldName, modeWord } from "./history.js";
import { pairs } from "../shell/pairs.js";
import { fullName } from "./people.js";
import { powersInWords } from "../team/powers.js";
import { countryName } from "../forms/regions.js";

/** @typedef {import("./merchant-decisions.js").Merchant} Merchant */

/** @param {Merchant} merchant */
export function company({ profile, createdAt }) {
  const { legalAddress: address, brand } = profile;
  const differs = address.country !== profile.country;
  const place = [
    address.line1,
    address.postalCode,
    address.city,
    address.state,
    differs && countryName(address.country),
  ];
  return html`<section class="panel">
    <header><h2>Company</h2></header>
    ${pairs([
      ["Legal name", profile.legalName],
      ["Trades as", [...new Set([profile.tradeName, profile.tradingName])].filter(Boolean).join(", ")],
      ["Registration", profile.registrationNumber],
      ["VAT", profile.vatNumber],
      ["Address", place.filter(Boolean).join(", ")],
      ["Country", profile.country && countryName(profile.country)],
      ["Locations", profile.numberOfLocations ? String(profile.numberOfLocations) : ""],
      ["Website", brand.website],
      ["Line of business", brand.category],
      ["Time zone", profile.timeZone],
      ["Since", createdAt && formatDate(createdAt)],
    ])}
  </section>`;
}

/** @param {Merchant} merchant */
export function directors({ profile }) {
  return html`<section class="panel">
    <header><h2>Directors</h2></header>
    ${profile.directors.length === 0 ? html`<p class="none faint">None were named</p>` : nothing}
    <ul class="rows">
      ${profile.directors.map(({ name, role }) => personRow(name || "No name", role || "No role"))}
    </ul>
  </section>`;
}

/** @param {string} name @param {string} note @param {unknown} [aside] */
function personRow(name, note, aside = nothing) {
  return html`<li>
    <span class="two-lines grow">
      <b class="wrap" dir="auto">${name}</b>
      <span class="small muted wrap" dir="auto">${note}</span>
    </span>
    ${aside}
  </li>`;
}

/** @param {Merchant} merchant */
export function verification({ verification: { status, decidedAt, changedFields } }) {
  return html`<section class="panel">
    <header><h2>Verification</h2></header>
    ${pairs(
      [
        ["Result", status && wordOf(status)],
        ["Decided", decidedAt && formatDateTime(decidedAt)],
        ["Changed since", changedFields.map(fieldName).join(", ")],
      ],
      "Not started",
    )}
  </section>`;
}

/** @param {Merchant} merchant @param {() => void} edit */
export function settlement({ settlementMode, fees, payoutDelayDays, profile }, edit) {
  return html`<section class="panel">
    <header>
      <h2>Settlement</h2>
      <button class="button" type="button" aria-label="Change the settlement" @click=${edit}>Change</button>
    </header>
    ${pairs([
      ["Settled", modeWord(settlementMode)],
      ["Fee", formatFee(fees.percentBps, fees.fixedMinor, profile.currency ?? "EUR") || "None"],
      ["Paid after", dayCount(payoutDelayDays)],
      ["Currency", profile.currency ?? "Not set"],
    ])}
  </section>`;
}

/** @param {Merchant} merchant @param {() => void} edit */
export function selling({ networkMerchantId, slug, defaultOfferId, maxSaleMinor, profile }, edit) {
  return html`<section class="panel">
    <header>
      <h2>Selling</h2>
      <button class="button" type="button" aria-label="Change the selling" @click=${edit}>Change</button>
    </header>
    ${pairs([
      ["Network account", networkMerchantId ?? "None"],
      ["Address of the shop", slug],
      ["Default offer", defaultOfferId ?? "The first that can be sold"],
      ["Largest sale", maxSaleMinor === null ? "No limit" : formatMinor(maxSaleMinor, profile.currency ?? "EUR")],
    ])}
  </section>`;
}

/** @param {Merchant} merchant */
export function team({ team: members }) {
  return html`<section class="panel">
    <header><h2>Team</h2></header>
    ${members.length === 0 ? html`<p class="none faint">Nobody</p>` : nothing}
    <ul class="rows">
      ${members.map((member) => {
        const role = powersInWords({ role: member.role, permissions: member.permissions });
        const address = member.emailVerified ? member.email : `${member.email}, not verified`;
        return personRow(fullName(member), address, html`<span class="small muted">${role}</span>`);
      })}
    </ul>
  </section>`;
}
