// A money call whose outcome is known: what was done, or that nothing was, and why.

import { html, nothing } from "/kit/vendor/lit.js";
import { toMinor } from "/kit/decimals.js";
import { property } from "/portal-api/errors.js";
import "../paper/receipt.js";
import { countdown } from "../shell/countdown.js";
import { money } from "../shell/formats.js";
import { t } from "../shell/text.js";
import { cardRef } from "../shell/view.js";
import { refusalText, retryTime } from "../shell/words.js";
import { balanceNow } from "./balance-now.js";
import { amountOf, restOf } from "./entry-money.js";

/** @typedef {import("/portal-api/journal.js").Entry} Entry */
/** @typedef {import("../till.js").Till | null} OrTill */

/** @param {OrTill} till @param {Entry} entry @param {number | null} shownAt since when, unless it was opened from the list */
export function knownOutcome(till, entry, shownAt) {
  if (entry.outcome?.kind !== "done") return notDone(till, entry, shownAt);
  const late = entry.steps.length > 1 ? html`<p class="lead">${t("outcome-late")}</p>` : nothing;
  const card = html`<till-sold-card .till=${till} .entry=${entry}></till-sold-card>`;
  return html`${late}${entry.call === "redeem" ? redeemed(till, entry) : card}`;
}

/** @param {OrTill} till @param {Entry} entry @param {number | null} shownAt */
function notDone(till, entry, shownAt) {
  const { call, note, outcome } = entry;
  const what = t(call === "redeem" ? "outcome-nothing-taken" : "outcome-none-issued");
  const retryAt = outcome?.kind === "refused" && shownAt !== null ? retryTime(outcome, shownAt) : null;
  return html`${
      outcome?.kind === "byHand"
        ? html`<p class="lead">${t("outcome-found-by-hand")}</p>
            <p class="wrap" dir="auto">${outcome.sentence}</p>`
        : html`<p class="lead">${what} ${reason(outcome)} ${countdown(retryAt)}</p>`
    }
    <dl class="facts panel">
      <div>
        <dt>${t("outcome-amount")}</dt>
        <dd>${amountOf(entry, "amount")}</dd>
      </div>
      <div>
        ${
          call === "redeem"
            ? html`<dt>${t("outcome-card")}</dt>
                <dd>${cardRef(String(note.ref))}</dd>`
            : html`<dt>${t("outcome-gift-card")}</dt>
                <dd dir="auto">${note.offer}</dd>`
        }
      </div>
      ${balanceNow(till, entry)}
    </dl>`;
}

/** @param {Entry["outcome"]} outcome */
function reason(outcome) {
  switch (outcome?.kind) {
    case "refused":
      return refusalText(outcome);
    case "closed":
      return t("outcome-stopped");
    default:
      return t("outcome-connect");
  }
}

/** @param {OrTill} till @param {Entry} entry */
function redeemed(till, entry) {
  const [currency, owed, left] = [String(entry.note.currency), restOf(entry)?.amount ?? 0, leftOnCard(entry)];
  return html`${
      owed > 0
        ? html`<div class="owed">
            <span>${t("outcome-still-to-pay")}</span><strong><bdi>${money(owed, currency)}</bdi></strong>
          </div>`
        : nothing
    }
    <dl class="facts panel">
      <div>
        <dt>${t("redeem-total")}</dt>
        <dd>${amountOf(entry, "total")}</dd>
      </div>
      ${
        left === null
          ? nothing
          : html`<div>
              <dt>${t("outcome-left")}</dt>
              <dd><bdi>${money(left, currency)}</bdi></dd>
            </div>`
      }
      <div>
        <dt>${t("outcome-card")}</dt>
        <dd>${cardRef(String(entry.note.ref))}</dd>
      </div>
    </dl>
    ${till?.isOurs(entry) ? html`<till-receipt .till=${till} .entry=${entry} .left=${left}></till-receipt>` : nothing}`;
}

/** In minor units, if the answer says it. @param {Entry} entry */
function leftOnCard({ note, outcome }) {
  const result = outcome?.kind === "done" && outcome.call === "redeem" ? (outcome.result?.data ?? null) : null;
  const remains = property(result, "valueRemains");
  return typeof remains === "number" || typeof remains === "string" ? toMinor(remains, String(note.currency)) : null;
}
