// Keys of the merchant's own programs: the list, and what is done with one.

import { toneBadge } from "/kit/badge.js";
import { html, nothing } from "/kit/vendor/lit.js";
import { formatDateTime } from "/kit/time.js";
import { empty, rowButton } from "../shell/parts.js";
import { powersInWords } from "../team/powers.js";
import { store } from "../shell/store.js";

/** @typedef {import("../shell/store.js").Schemas["ListedKey"]} ListedKey */
/** @typedef {{rotate: (key: ListedKey) => void, revoke: (key: ListedKey) => void}} Actions */

/** @param {ListedKey[]} keys @param {Actions} actions */
export function keyList(keys, actions) {
  if (keys.length === 0)
    return empty("No keys yet", "With a key, your own program can read orders and figures, or sell and redeem cards.");
  return html`<ul class="rows">
    ${keys.map((key) => keyRow(key, actions))}
  </ul>`;
}

/** @param {ListedKey} key @param {Actions} actions */
function keyRow(key, actions) {
  const { name, permissions, readOnly, createdAt, createdBy, lastUsedAt, endedAt } = key;
  const powers = powersInWords({ role: null, permissions });
  return html`<li>
    <span class="two-lines grow">
      <span><b class="wrap" dir="auto">${name}</b> ${keyBadge(key)}</span>
      <span class="small wrap">${powers}${readOnly ? ", only reads" : ""}</span>
      <span class="small muted wrap"
        >Of <span dir="auto">${createdBy.name}</span>, ${moment(createdAt)}.
        ${lastUsedAt ? html`Last used ${moment(lastUsedAt)}.` : "Not used yet."} ${endOf(key)}</span
      >
    </span>
    ${
      endedAt
        ? nothing
        : html`<span class="last">
            ${rowButton({ word: "Rotate", label: `Rotate ${name}`, act: () => actions.rotate(key) })}
            ${rowButton({ word: "Revoke", label: `Revoke ${name}`, act: () => actions.revoke(key) })}
          </span>`
    }
  </li>`;
}

/** @type {Readonly<Record<string, string>>} */
const ENDED = {
  EXPIRED: "Expired",
  REVOKED: "Revoked",
  MAKER_LEFT: "Ended",
  MERCHANT_INACTIVE: "Ended",
};

/** @param {ListedKey} key */
function keyBadge({ endedAt, endedBecause, endsAt }) {
  if (endedAt) return toneBadge("neutral", ENDED[endedBecause ?? ""] ?? "Ended");
  return endsAt ? toneBadge("warn", "Ends soon") : toneBadge("ok", "Active");
}

/** @param {ListedKey} key */
function endOf({ createdBy, expiresAt, endsAt, endedAt, endedBecause, previousUntil }) {
  if (endedAt) {
    const why =
      endedBecause === "MAKER_LEFT"
        ? html`: <span dir="auto">${createdBy.name}</span> can no longer grant its permissions`
        : nothing;
    return html`Ended ${moment(endedAt)}${why}.`;
  }
  if (endsAt)
    return html`Ends ${moment(endsAt)}, because <span dir="auto">${createdBy.name}</span> can no longer grant its
      permissions. Rotate it to keep it.`;
  return html`Expires ${moment(expiresAt)}.
  ${previousUntil ? html`The secret of before works until ${moment(previousUntil)}.` : nothing}`;
}

/** @param {string} timestamp */
const moment = (timestamp) => html`<time datetime=${timestamp}>${formatDateTime(timestamp, store.timeZone)}</time>`;
