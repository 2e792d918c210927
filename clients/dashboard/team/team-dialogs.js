// Dialogs of the team: inviting, confirming an invitation by code, changing a role.

import { html, nothing } from "/kit/vendor/lit.js";
import { api, call, explain, Problem } from "../shell/api.js";
import { carryOut, change, isUnknown } from "../shell/change.js";
import { creator } from "../shell/creator.js";
import { maxLength } from "../forms/bounds.js";
import { codeField } from "../forms/code-field.js";
import { actionDialog, effectList, STAY } from "../forms/dialogs.js";
import { field } from "../forms/forms.js";
import { difference, powersInWords } from "./powers.js";
import { PowersChoice, powersField } from "./powers-field.js";
import { store } from "../shell/store.js";

/** @typedef {import("../shell/store.js").Schemas["TeamItem"]} Item */
/** @typedef {Pick<Item, "email" | "firstName" | "lastName">} Person */

/** @param {Person} person */
export function nameOf({ firstName, lastName, email }) {
  return [firstName, lastName].filter(Boolean).join(" ") || email;
}

/** Resolves to the invitation that is to be confirmed, unless nobody was invited. */
export function invite() {
  const chosen = new PowersChoice({ role: "VIEWER", permissions: null });
  const { email, firstName, lastName } = maxLength.createInvite;
  const create = creator();
  return actionDialog({
    title: "Invite somebody",
    verb: "Send me the code",
    failed: "Nobody was invited.",
    content: (draw) =>
      html`${field({ name: "email", label: "E-mail address", type: "email", required: true, maxlength: email })}
        <div class="two">
          ${field({ name: "firstName", label: "First name", required: true, maxlength: firstName })}
          ${field({ name: "lastName", label: "Last name", required: true, maxlength: lastName })}
        </div>
        ${powersField(chosen, draw)}
        <p class="small muted">We send you a code first, to confirm that it is you.</p>`,
    act: async ({ email = "", firstName = "", lastName = "" }) => {
      const powers = chosen.request();
      if (!powers) throw STAY;
      const person = { email, firstName, lastName };
      const body = { ...person, ...powers };
      const { data } = await create((params) => api.POST("/api/auth/invites", { params, body }));
      return { challengeId: data.challengeId, person };
    },
  });
}

/** Asks for the code that confirms an invitation. Resolves to whether it was confirmed. @param {string} challengeId @param {Person} person */
export async function confirmInvitation(challengeId, person) {
  let code = "";
  let error = "";
  const done = await actionDialog({
    title: `Confirm the invitation of ${nameOf(person)}`,
    verb: "Confirm",
    dismiss: "Later",
    failed: "The invitation was not confirmed.",
    content: (draw) =>
      html`<p class="wrap">
          We sent a code to ${store.session?.user?.email}. It works for 10 minutes. Then ${person.email} gets the
          invitation.
        </p>
        ${codeField({
          code,
          error,
          changed: (next) => {
            code = next;
            error = "";
            draw();
          },
        })}`,
    act: async () => {
      const path = { challengeId };
      error = "";
      try {
        await carryOut(
          () => api.POST("/api/auth/invites/{challengeId}/verification", { params: { path }, body: { code } }),
          () => isConfirmed(challengeId),
        );
        return true;
      } catch (problem) {
        if (isUnknown(problem)) throw problem;
        error = isNotFound(problem) ? "Only the person who sent the invitation can confirm it." : explain(problem);
        throw STAY;
      }
    },
  });
  return done === true;
}

/** Its code works once, so that a repeat would not tell. @param {string} challengeId */
async function isConfirmed(challengeId) {
  const { data } = await call(() => api.GET("/api/bff/merchant/users"));
  return data.some(({ id, status }) => id === `invite:${challengeId}` && status === "Invited, pending acceptance");
}

/** @param {unknown} problem */
export const isNotFound = (problem) => problem instanceof Problem && problem.status === 404;

/** Resolves to what the member may do now, in words, unless nothing was changed. @param {Item} item @param {import("./powers.js").Powers} powers */
export function changeRole(item, powers) {
  const name = nameOf(item);
  const chosen = new PowersChoice(powers);
  return actionDialog({
    title: `Change the role of ${name}`,
    verb: "Change role",
    failed: "The role was not changed.",
    content: (draw) =>
      html`<p>Now: <b>${powersInWords(powers)}</b></p>
        ${powersField(chosen, draw)}
        <div role="status">${chosen.powers ? consequences(powers, chosen.powers) : nothing}</div>`,
    act: async () => {
      const body = chosen.request();
      if (!body || !chosen.powers) throw STAY;
      await change(() => api.PATCH("/api/bff/merchant/users", { body: { targetUserId: item.id, ...body } }));
      return powersInWords(chosen.powers);
    },
  });
}

/** @param {import("./powers.js").Powers} from @param {import("./powers.js").Powers} to */
function consequences(from, to) {
  const { gained, lost } = difference(from, to);
  if (gained.length + lost.length === 0) return html`<p class="muted">Nothing changes.</p>`;
  return html`${effectList({ title: "They gain", items: gained })} ${effectList({ title: "They lose", items: lost })}
    <p class="small muted">Their unused invitations and pairing codes expire.</p>`;
}
