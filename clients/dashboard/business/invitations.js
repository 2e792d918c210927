// Invitations that somebody can accept, and one that is for another address.

import { html, nothing } from "/kit/vendor/lit.js";
import { formatDate } from "/kit/time.js";
import { property } from "/portal-api/errors.js";
import { api, call, Problem } from "../shell/api.js";
import { carryOut } from "../shell/change.js";
import { icon } from "../shell/icons.js";
import { store } from "../shell/store.js";

/** @typedef {import("../shell/store.js").Schemas["SessionInvite"]} Invite */

const ROLES = { ADMIN: "administrator", FULL: "a member with full access", VIEWER: "a viewer (read-only)" };

/** @param {string} challengeId */
export const accept = (challengeId) =>
  carryOut(
    () => api.POST("/api/auth/invites/{challengeId}/acceptance", { params: { path: { challengeId } } }),
    hasMerchant,
  );

/** Whether the session belongs to a merchant by now. */
export const hasMerchant = async () => (await call(() => api.GET("/api/auth/session"))).data.merchant !== null;

/**
 * Why the linked invitation is none of those in the session: another address is invited, masked, or it is over. To ask is to
 * try: an invitation for this session's address would be in its list.
 * @param {string} challengeId
 * @returns {Promise<{invited: string | null}>}
 */
export async function whyNotInvited(challengeId) {
  try {
    await accept(challengeId);
    dispatchEvent(new Event("session-changed"));
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    const address = property(property(problem.body, "error"), "invitedAddress");
    if (typeof address === "string") return { invited: address };
    if (problem.status !== 410 && problem.status !== 404 && problem.status !== 400) throw problem;
  }
  return { invited: null };
}

/** @param {{invited: string | null}} reason */
export function notInvited({ invited }) {
  const own = store.session?.user?.email;
  return html`<div class="notice warn" role="alert">
    ${icon("warn")}
    <div class="wrap">
      <b>${invited ? "This invitation is for another address." : "This invitation is no longer valid."}</b>
      <p>
        ${
          invited
            ? html`You are signed in as ${own}. It can be accepted by <bdi>${invited}</bdi>: sign out, and sign in with
                that address.`
            : "It was used, withdrawn or has expired. Ask for a new one."
        }
      </p>
    </div>
  </div>`;
}

/** @param {{invite: Invite, primary: boolean, busy: boolean, refused: unknown, join: () => void}} view */
export function invitation({ invite, primary, busy, refused, join }) {
  return html`<section class="panel">
    <div class="form">
      <h2 class="wrap" dir="auto">${invite.merchantName}</h2>
      <p class="muted">
        You join as ${invite.role ? ROLES[invite.role] : "a member with chosen permissions"}. The invitation is valid
        until ${formatDate(invite.expiresAt)}.
      </p>
      ${refused ?? nothing}
      <div>
        <button
          class="button wrap ${primary ? "primary" : ""}"
          type="button"
          aria-busy=${busy ? "true" : "false"}
          @click=${join}
        >
          Join ${invite.merchantName}
        </button>
      </div>
    </div>
  </section>`;
}
