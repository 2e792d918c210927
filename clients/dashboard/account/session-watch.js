// Whether the page still belongs to the session of the browser: in another tab, somebody may have signed in with another
// address. Loaded when a page becomes visible again, or a write was refused for it.

import { html } from "/kit/vendor/lit.js";
import { api, call } from "../shell/api.js";
import { store } from "../shell/store.js";

/** @typedef {import("../shell/store.js").Session} Session */

/**
 * The session of the browser now, compared with that of the page. "unknown": it could not be loaded, or is over; the next
 * call asks to sign in.
 * @returns {Promise<{kind: "same" | "unknown"} | {kind: "changed" | "other", session: Session}>}
 */
export async function lookAtSession() {
  const before = store.session;
  const answer = await call(() => api.GET("/api/auth/session"), { signIn: false }).catch(() => null);
  if (!answer || !before) return { kind: "unknown" };
  const session = answer.data;
  if (session.user?.id !== before.user?.id || session.merchant?.id !== before.merchant?.id)
    return { kind: "other", session };
  return powersOf(session) === powersOf(before) ? { kind: "same" } : { kind: "changed", session };
}

/** What decides which pages there are, and what they show. @param {Session} session */
const powersOf = ({ merchant, role, permissions, signedInWith }) =>
  JSON.stringify([merchant?.status, role, permissions, signedInWith]);

/** In place of the page, which may hold what was typed for the other one. @param {Session} other */
export function notYours(other) {
  const now = other.merchant?.name ?? other.user?.email ?? "";
  const before = store.session?.merchant?.name ?? store.session?.user?.email ?? "";
  return html`<main class="alone">
    <div>
      <h1 tabindex="-1" class="wrap">You are signed in for ${now} now</h1>
      <p class="wrap">
        In another tab, ${other.user?.email ?? "somebody"} has signed in. This page belongs to ${before}. Nothing on it
        was saved for ${now}.
      </p>
    </div>
    <p><button class="button primary" type="button" @click=${() => location.assign("/")}>Open ${now}</button></p>
  </main>`;
}
