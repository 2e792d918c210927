// The passkeys of the account.

import { html } from "/kit/vendor/lit.js";
import { toneBadge } from "/kit/badge.js";
import { formatDateTime } from "/kit/time.js";
import { api, call } from "../shell/api.js";
import { empty, rowButton } from "../shell/parts.js";
import { store } from "../shell/store.js";

/** @typedef {import("../shell/store.js").Schemas["Passkey"]} Passkey */

export const readPasskeys = async () => (await call(() => api.GET("/api/auth/passkeys"))).data;

/** @param {Passkey[]} passkeys @param {(passkey: Passkey) => void} remove */
export function passkeyList(passkeys, remove) {
  if (passkeys.length === 0)
    return empty(
      "No passkeys yet",
      "A passkey signs you in with your fingerprint, your face or the lock of your screen. No false page can ask for it.",
    );
  return html`<ul class="rows">
    ${passkeys.map((one) => passkeyRow(one, remove))}
  </ul>`;
}

/** @param {Passkey} passkey @param {(passkey: Passkey) => void} remove */
function passkeyRow(passkey, remove) {
  const { name, createdAt, lastUsedAt, backedUp } = passkey;
  const used = lastUsedAt ? html`Last used ${moment(lastUsedAt)}.` : "Not used yet.";
  return html`<li>
    <span class="two-lines grow">
      <span
        ><b class="wrap" dir="auto">${name}</b> ${
          backedUp ? toneBadge("ok", "Synced") : toneBadge("neutral", "Only on one device")
        }</span
      >
      <span class="small muted">Added ${moment(createdAt)}. ${used}</span>
    </span>
    ${rowButton({ word: "Remove", label: `Remove ${name}`, act: () => remove(passkey) })}
  </li>`;
}

/** @param {string} timestamp */
const moment = (timestamp) => html`<time datetime=${timestamp}>${formatDateTime(timestamp, store.timeZone)}</time>`;
