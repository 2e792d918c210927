// Team: invitations with their next step first, then members.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge, toneBadge } from "/kit/badge.js";
import { api, call, explain, Problem } from "../api.js";
import { codeField } from "../code-field.js";
import { Page, Resource } from "../page.js";
import { confirm, dialog, field, refusal, toast, valuesOf } from "../forms.js";
import { empty, head, states } from "../parts.js";
import { mayChange, store } from "../store.js";
import { maxLength } from "../bounds.js";

/** @typedef {import("../store.js").Schemas} Schemas */
/** @typedef {Schemas["TeamItem"]} Item */
/** @typedef {Schemas["Role"]} Role */

const ROLES = /** @type {readonly (readonly [Role, string])[]} */ ([
  ["ADMIN", "Admin"],
  ["FULL", "Full access"],
  ["VIEWER", "Viewer (read-only)"],
]);

class TeamPage extends Page {
  list = new Resource(this, async () => (await call(() => api.GET("/api/bff/merchant/users"))).data);
  /** @type {{id: string, problem: unknown} | null} */
  failed = null;
  busy = "";

  arrive() {
    this.list.load();
  }

  render() {
    const manages = mayChange("merchant.team.invite");
    return html`${head("Team", "Who works with this portal", manages ? html`<button class="button primary" type="button" @click=${this.invite}>Invite somebody</button>` : nothing)}
    ${states(this.list, {
      what: "The team",
      rows: 6,
      ready: (items) => {
        const invitations = items.filter((item) => item.id.startsWith("invite:"));
        const members = items.filter((item) => !item.id.startsWith("invite:"));
        return html`${
            invitations.length
              ? html`<section class="panel">
                  <header><h2>Invitations</h2></header>
                  <ul class="rows">
                    ${invitations.map((item) => this.invitation(item, manages))}
                  </ul>
                </section>`
              : nothing
          }
          <section class="panel">
            <header><h2>Members</h2></header>
            ${
              members.length
                ? html`<ul class="rows">
                    ${members.map((item) => this.member(item, manages))}
                  </ul>`
                : empty("Nobody yet", "Invite the people who work with you.")
            }
          </section>`;
      },
    })}`;
  }

  /** @param {Item} item @param {boolean} manages */
  invitation(item, manages) {
    const id = item.id.slice("invite:".length);
    /** @param {string} word @param {() => void} act */
    const step = (word, act) =>
      html`<button
        class="button"
        type="button"
        aria-label=${`${word}: ${nameOf(item)}`}
        aria-busy=${this.busy === item.id ? "true" : "false"}
        @click=${act}
      >
        ${word}
      </button>`;
    const next =
      {
        "Pending your verification": step("Enter the code", () => this.verify(id, item)),
        "Verification expired": step("Send a new code", () => this.resend(id, item, true)),
        "Invitation expired": step("Send it again", () => this.resend(id, item, false)),
      }[item.status] ?? step("Send it again", () => this.resend(id, item, false));
    const state =
      item.status === "Pending your verification"
        ? toneBadge("warn", "To be confirmed")
        : item.status === "Invited, pending acceptance"
          ? toneBadge("info", "Invited")
          : toneBadge("neutral", item.status === "Verification expired" ? "Code expired" : "Expired");
    return html`<li>
      ${person(item, item.role)}${state}
      ${manages ? html`<span class="actions">${next}<button class="button" type="button" aria-label=${`Withdraw the invitation of ${nameOf(item)}`} @click=${() => this.withdraw(id, item)}>Withdraw</button></span>` : nothing}${this.failure(item)}
    </li>`;
  }

  /** @param {Item} item @param {boolean} manages */
  member(item, manages) {
    const self = item.id === store.session?.user?.id;
    return html`<li>
      ${person(item, manages && !self ? "" : item.role, self)}${item.status === "Active" ? nothing : badge(item.status)}
      ${
        manages && !self
          ? html`<select
                class="input role"
                aria-label=${`Role of ${nameOf(item)}`}
                @change=${(/** @type {Event} */ event) => this.setRole(item, /** @type {HTMLSelectElement} */ (event.target))}
              >
                ${item.merchantTeamRole ? nothing : html`<option value="" selected>Role not set</option>`}${ROLES.map(([role, word]) => html`<option value=${role} ?selected=${role === item.merchantTeamRole}>${word}</option>`)}
              </select>
              <button
                class="button"
                type="button"
                aria-label=${`Remove ${nameOf(item)}`}
                @click=${() => this.removeMember(item)}
              >
                Remove
              </button>`
          : nothing
      }${this.failure(item)}
    </li>`;
  }

  /** @param {Item} item */
  failure(item) {
    return this.failed?.id === item.id
      ? html`<span class="field whole"
          ><span class="error" role="alert">${explain(this.failed.problem)} Nothing was changed.</span></span
        >`
      : nothing;
  }

  /** Does something to one item and shows there what went wrong. @param {Item} item @param {() => Promise<void>} act */
  async run(item, act) {
    if (this.busy) return;
    this.busy = item.id;
    this.failed = null;
    this.requestUpdate();
    try {
      await act();
    } catch (problem) {
      this.failed = { id: item.id, problem };
    }
    this.busy = "";
    this.requestUpdate();
  }

  /** @param {Item} item @param {HTMLSelectElement} select */
  async setRole(item, select) {
    const role = ROLES.find(([value]) => value === select.value)?.[0];
    if (!role) return;
    await this.run(item, async () => {
      await call(() =>
        api.PATCH("/api/bff/merchant/users", { body: { targetUserId: item.id, merchantTeamRole: role } }),
      );
      toast(`${nameOf(item)} is ${ROLES.find(([value]) => value === role)?.[1]} now.`);
    });
    if (this.failed) select.value = item.merchantTeamRole ?? "";
    await this.list.load();
  }

  /** @param {Item} item */
  async removeMember(item) {
    const name = nameOf(item);
    const done = await confirm({
      title: `Remove ${name}?`,
      text: "They are signed out at once. Invitations that they sent and nobody accepted are over.",
      verb: `Remove ${name}`,
      failed: `${name} was not removed. Nothing was changed.`,
      act: () => call(() => api.DELETE("/api/auth/members/{userId}", { params: { path: { userId: item.id } } })),
    });
    if (!done) return;
    toast(`${name} was removed.`);
    this.list.load();
  }

  /** @param {string} id @param {Item} item */
  async withdraw(id, item) {
    const name = nameOf(item);
    const done = await confirm({
      title: `Withdraw the invitation of ${name}?`,
      text: "The link in the mail stops working.",
      verb: "Withdraw the invitation",
      failed: "The invitation was not withdrawn.",
      act: () => call(() => api.DELETE("/api/auth/invites/{challengeId}", { params: { path: { challengeId: id } } })),
    });
    if (!done) return;
    toast("The invitation was withdrawn.");
    this.list.load();
  }

  /** @param {string} id @param {Item} item @param {boolean} code whether a code comes, or the invitation goes out again */
  async resend(id, item, code) {
    await this.run(item, async () => {
      try {
        await call(() => api.POST("/api/auth/invites/{challengeId}/resend", { params: { path: { challengeId: id } } }));
      } catch (problem) {
        throw problem instanceof Problem && problem.status === 404
          ? new Problem(
              400,
              { message: "Only the person who sent the invitation can send it again", code: null, details: null },
              null,
            )
          : problem;
      }
      await this.list.load();
      if (code) await this.verify(id, item);
      else toast(`The invitation was sent to ${item.email} again.`);
    });
  }

  async invite() {
    let busy = false;
    /** @type {unknown} */
    let problem = null;
    /** @type {{challengeId: string, item: Pick<Item, "email" | "firstName" | "lastName">} | undefined} */
    const made = await dialog(
      "Invite somebody",
      (
        /** @type {(made?: {challengeId: string, item: Pick<Item, "email" | "firstName" | "lastName">}) => void} */ close,
        draw,
      ) => {
        /** @param {SubmitEvent} event */
        async function send(event) {
          event.preventDefault();
          if (busy) return;
          const {
            email = "",
            firstName = "",
            lastName = "",
            role,
          } = valuesOf(/** @type {HTMLFormElement} */ (event.target));
          const merchantTeamRole = ROLES.find(([value]) => value === role)?.[0] ?? "VIEWER";
          busy = true;
          problem = null;
          draw();
          try {
            const { data } = await call(() =>
              api.POST("/api/auth/invites", { body: { email, firstName, lastName, merchantTeamRole } }),
            );
            close({ challengeId: data.challengeId, item: { email, firstName, lastName } });
          } catch (error) {
            problem = error;
          }
          busy = false;
          draw();
        }
        return html`<form @submit=${send}>
          ${field({ name: "email", label: "E-mail address", type: "email", required: true, maxlength: maxLength.createInvite.email })}
          <div class="two">
            ${field({ name: "firstName", label: "First name", required: true, maxlength: maxLength.createInvite.firstName })}${field({ name: "lastName", label: "Last name", required: true, maxlength: maxLength.createInvite.lastName })}
          </div>
          ${field({ name: "role", label: "Role", value: "VIEWER", options: ROLES, hint: "Full access does everything but the team. A viewer changes nothing." })}
          ${refusal(problem, "Nobody was invited.")}
          <p class="small muted">We send you a code first, to be sure that it is you who invites.</p>
          <footer>
            <button class="button" type="button" @click=${() => close()}>Cancel</button
            ><button class="button primary" aria-busy=${busy ? "true" : "false"}>Send me the code</button>
          </footer>
        </form>`;
      },
    );
    if (!made) return;
    this.list.load();
    await this.verify(made.challengeId, made.item);
  }

  /** @param {string} challengeId @param {Pick<Item, "email" | "firstName" | "lastName">} item */
  async verify(challengeId, item) {
    let code = "";
    let busy = false;
    let error = "";
    const done = await dialog(
      `Confirm the invitation of ${nameOf(item)}`,
      (/** @type {(done?: boolean) => void} */ close, draw) => {
        async function submit() {
          if (busy) return;
          busy = true;
          error = "";
          draw();
          try {
            await call(() =>
              api.POST("/api/auth/invites/{challengeId}/verification", {
                params: { path: { challengeId } },
                body: { code },
              }),
            );
            close(true);
          } catch (problem) {
            error =
              problem instanceof Problem && problem.status === 404
                ? "Only the person who sent the invitation can confirm it."
                : explain(problem);
          }
          busy = false;
          draw();
        }
        return html`<form
          novalidate
          @submit=${(/** @type {Event} */ event) => {
            event.preventDefault();
            submit();
          }}
        >
          <p>
            We sent a code to ${store.session?.user?.email}. It works for 10 minutes. Then ${item.email} gets the
            invitation.
          </p>
          ${codeField({
            code,
            error,
            busy,
            changed: (next) => {
              code = next;
              error = "";
              draw();
            },
            complete: submit,
          })}
          <footer>
            <button class="button" type="button" @click=${() => close(false)}>Later</button
            ><button class="button primary" aria-busy=${busy ? "true" : "false"}>Confirm</button>
          </footer>
        </form>`;
      },
    );
    if (done) toast(`${item.email} is invited. The link works for 7 days.`);
    this.list.load();
  }
}

/** @param {Pick<Item, "email" | "firstName" | "lastName">} item */
function nameOf(item) {
  return [item.firstName, item.lastName].filter(Boolean).join(" ") || item.email;
}

/** @param {Item} item @param {string} role @param {boolean} [self] */
function person(item, role, self = false) {
  return html`<span class="two-lines grow"
    ><b class="wrap" dir="auto">${nameOf(item)}${self ? html` <span class="small faint">you</span>` : nothing}</b
    ><span class="small muted wrap">${item.email}${role && role !== "—" ? ` · ${role}` : ""}</span></span
  >`;
}

customElements.define("team-page", TeamPage);
