// What is on a card after a refusal: less than it showed, perhaps, since another till was faster.

import { html, nothing } from "/kit/vendor/lit.js";
import { property } from "/portal-api/errors.js";
import { money } from "../shell/formats.js";
import { t } from "../shell/text.js";

/**
 * A row of the facts of a refused redemption.
 *
 * @param {import("../till.js").Till | null} till
 * @param {import("/portal-api/journal.js").Entry} entry
 */
export function balanceNow(till, { key, outcome }) {
  const isTooLittle = outcome?.kind === "refused" && property(outcome.error.details, "code") === "INSUFFICIENT_FUNDS";
  if (!till || !isTooLittle) return nothing;
  const card = till.cardsNow.get(key);
  const known = card && card.balance !== null ? html`<bdi>${money(card.balance, card.currency)}</bdi>` : t("not-known");
  const balance = till.cardsNow.has(key) ? known : t("outcome-looking");
  return html`<div class="now">
    <dt>${t("card-on-it-now")}</dt>
    <dd><span role="status">${balance}</span></dd>
  </div>`;
}
