// A money call whose outcome is not known: what may have happened, what is being asked, and what to do meanwhile.

import { html, nothing } from "/kit/vendor/lit.js";
import { time } from "../shell/formats.js";
import { around, t } from "../shell/text.js";
import { cardRef, icon } from "../shell/view.js";
import { amountOf } from "./entry-money.js";

/** @typedef {import("/portal-api/journal.js").Entry} Entry */
/** @typedef {import("../till.js").Till | null} OrTill */

/** Whether nothing but a person can end it. @param {OrTill} till @param {Entry} entry */
export const isFinal = (till, entry) => !till?.isOurs(entry) || till.waits.get(entry.key) === null;

/** @param {OrTill} till @param {Entry} entry */
export function unknownOutcome(till, entry) {
  const isRedeem = entry.call === "redeem";
  const amount = amountOf(entry, "amount");
  const isOver = isFinal(till, entry);
  return html`<p class="lead">
      ${
        isRedeem
          ? around("unknown-redeem", { amount, card: cardRef(String(entry.note.ref)) })
          : around("unknown-issue", { amount })
      }
      ${isOver ? "" : t(till?.isOnline ? "unknown-no-response" : "unknown-no-connection")}
    </p>
    <div class="notice warn">
      ${icon("warning")}
      <p><b>${t(isRedeem ? "unknown-do-not-redeem" : "unknown-do-not-sell")}</b> ${whatNext(till, entry)}</p>
    </div>
    <ol class="steps">
      ${steps(till, entry)}
    </ol>
    ${isOver ? nothing : cannotWait(entry)}`;
}

/** @param {OrTill} till @param {Entry} entry */
function whatNext(till, entry) {
  if (!isFinal(till, entry)) return t("unknown-wait");
  if (till?.isOurs(entry)) return t("unknown-final");
  const { merchantName } = entry.note;
  return merchantName
    ? around("unknown-other-merchant", { merchant: html`<bdi>${merchantName}</bdi>` })
    : t("unknown-some-merchant");
}

/** @param {Entry} entry */
function cannotWait(entry) {
  return html`<details>
    <summary>${t("unknown-cannot-wait")}</summary>
    <p>
      ${
        entry.call === "redeem"
          ? around("unknown-leave-redeem", { total: amountOf(entry, "total") })
          : t("unknown-leave-issue")
      }
    </p>
  </details>`;
}

/** @param {OrTill} till @param {Entry} entry */
function steps(till, entry) {
  const [sent] = entry.steps;
  const silence = entry.steps.find(({ what }) => what === "noAnswer");
  const asked = entry.steps.filter(({ what }) => what !== "sent" && what !== "noAnswer").length;
  const seconds = Math.ceil(((till?.waits.get(entry.key) ?? 0) - Date.now()) / 1000);
  const next = seconds > 0 ? t(asked ? "unknown-asks-again-in" : "unknown-asks-in", { seconds }) : t("unknown-asking");
  return html`${sent ? html`<li>${icon("done")}<span>${t("unknown-sent")}</span>${clock(sent.at)}</li>` : nothing}
    ${silence ? html`<li>${icon("circle")}<span>${t("unknown-no-answer")}</span>${clock(silence.at)}</li>` : nothing}
    <li class="now">
      ${icon("unknown")}<span>${t("unknown-asked", { count: asked })}</span>
      <span class="when">${isFinal(till, entry) ? "" : next}</span>
    </li>`;
}

/** @param {number} at */
function clock(at) {
  return html`<time class="when">${time(at, { hour: "2-digit", minute: "2-digit", second: "2-digit" })}</time>`;
}
