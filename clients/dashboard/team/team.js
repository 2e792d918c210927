// Team: invitations with their next step first, then members.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge, toneBadge } from "/kit/badge.js";
import { api, call, explain, Problem } from "../shell/api.js";
import { carryOut, certain, change, goneIsDone } from "../shell/change.js";
import { confirm } from "../forms/dialogs.js";
import { toast } from "../forms/forms.js";
import { ActingPage } from "../shell/acting-page.js";
import { Resource } from "../shell/page.js";
import { head, rowButton, states } from "../shell/parts.js";
import { mayGive, powersInWords, powersOf } from "./powers.js";
import { mayChange, store } from "../shell/store.js";
import { changeRole, confirmInvitation, invite, isNotFound, nameOf } from "./team-dialogs.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */
/** @typedef {Schemas["TeamItem"]} Item */

class TeamPage extends ActingPage {
  list = new Resource(this, async () => (await call(() => api.GET("/api/bff/merchant/users"))).data);

  arrive() {
    this.list.load();
  }

  render() {
    const manages = mayChange("merchant.team.invite");
    const add = html`<button class="button primary" type="button" @click=${this.invite}>Invite somebody</button>`;
    return html`${head("Team", "Who works with this portal", manages ? add : nothing)}
    ${states(this.list, { what: "The team", rows: 6, ready: (items) => this.lists(items, manages) })}`;
  }

  /** @param {Item[]} items @param {boolean} manages */
  lists(items, manages) {
    const invitations = items.filter(isInvitation);
    const members = items.filter((item) => !isInvitation(item));
    return html`${
      invitations.length
        ? panel(
            "Invitations",
            invitations.map((item) => this.invitation(item, manages)),
          )
        : nothing
    }
    ${panel(
      "Members",
      members.map((item) => this.member(item, manages)),
    )}`;
  }

  /** @param {Item} item @param {boolean} manages */
  invitation(item, manages) {
    const id = item.id.slice("invite:".length);
    /** @type {Record<string, [string, () => void]>} */
    const steps = {
      "Pending your verification": ["Enter the code", () => this.verify(id, item)],
      "Verification expired": ["Send a new code", () => this.resend(id, item, true)],
    };
    const [word, act] = steps[item.status] ?? ["Send it again", () => this.resend(id, item, false)];
    const busy = this.busy === item.id;
    const actions = html`<span class="actions">
      ${rowButton({ word, label: `${word}: ${nameOf(item)}`, busy, act })}
      ${rowButton({ word: "Withdraw", label: `Withdraw the invitation of ${nameOf(item)}`, act: () => this.withdraw(id, item) })}
    </span>`;
    return html`<li>
      ${person(item, invitationBadge(item.status))}${manages ? actions : nothing}${this.failure(item)}
    </li>`;
  }

  /** @param {Item} item @param {boolean} manages */
  member(item, manages) {
    const self = item.id === store.session?.user?.id;
    const actions = html`<span class="actions">
      ${rowButton({ word: "Change role…", label: `Change role of ${nameOf(item)}`, act: () => this.changeRole(item) })}
      ${rowButton({ word: "Remove", label: `Remove ${nameOf(item)}`, act: () => this.removeMember(item) })}
    </span>`;
    const powers = powersOf(item);
    return html`<li>
      ${person(item, self ? html`<span class="small faint">you</span>` : item.status === "Active" ? nothing : badge(item.status))}
      ${manages && !self && mayGive(powers) ? actions : nothing}${this.failure(item)}
    </li>`;
  }

  /** @param {Item} item */
  failure(item) {
    const problem = this.problemOf(item.id);
    return problem
      ? html`<span class="field whole"
          ><span class="error" role="alert">${explain(problem)} ${certain(problem, "Nothing was changed.")}</span></span
        >`
      : nothing;
  }

  /** @param {Item} item */
  async changeRole(item) {
    const now = await changeRole(item, powersOf(item));
    if (!now) return;
    toast(`${nameOf(item)}: ${now}.`);
    this.list.load();
  }

  /** @param {Item} item */
  async removeMember(item) {
    const name = nameOf(item);
    const done = await confirm({
      title: `Remove ${name}?`,
      text: "They are signed out immediately. Invitations that they sent and nobody accepted expire.",
      verb: `Remove ${name}`,
      failed: `${name} was not removed. Nothing was changed.`,
      act: () =>
        change(() => api.DELETE("/api/auth/members/{userId}", { params: { path: { userId: item.id } } })).catch(
          goneIsDone,
        ),
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
      act: () =>
        carryOut(
          () => api.DELETE("/api/auth/invites/{challengeId}", { params: { path: { challengeId: id } } }),
          () => this.isWithdrawn(item),
        ),
    });
    if (!done) return;
    toast("The invitation was withdrawn.");
    this.list.load();
  }

  /** It is neither there, nor accepted. @param {Item} item */
  async isWithdrawn({ id, email }) {
    await this.list.load();
    const items = this.list.problem ? null : this.list.data;
    return items?.every((one) => one.id !== id && one.email !== email) ?? false;
  }

  /** @param {string} id @param {Item} item @param {boolean} code whether a code comes, or the invitation goes out again */
  async resend(id, item, code) {
    await this.run(item.id, async () => {
      try {
        await change(() =>
          api.POST("/api/auth/invites/{challengeId}/resend", { params: { path: { challengeId: id } } }),
        );
      } catch (problem) {
        throw isNotFound(problem)
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
    const made = await invite();
    this.list.load(); // it may be there without an answer
    if (made) await this.verify(made.challengeId, made.person);
  }

  /** @param {string} challengeId @param {Pick<Item, "email" | "firstName" | "lastName">} person */
  async verify(challengeId, person) {
    if (await confirmInvitation(challengeId, person)) toast(`${person.email} is invited. The link works for 7 days.`);
    this.list.load();
  }
}

/** @param {Item} item */
const isInvitation = (item) => item.id.startsWith("invite:");

/** @param {string} title @param {unknown[]} rows */
function panel(title, rows) {
  return html`<section class="panel">
    <header><h2>${title}</h2></header>
    <ul class="rows">
      ${rows}
    </ul>
  </section>`;
}

/** @param {string} status */
function invitationBadge(status) {
  if (status === "Pending your verification") return toneBadge("warn", "To be confirmed");
  if (status === "Invited, pending acceptance") return toneBadge("info", "Invited");
  return toneBadge("neutral", status === "Verification expired" ? "Code expired" : "Expired");
}

/** @param {Item} item @param {unknown} note beside the name */
function person(item, note) {
  return html`<span class="two-lines grow"
    ><span><b class="wrap" dir="auto">${nameOf(item)}</b> ${note}</span
    ><span class="small muted wrap">${item.email} · ${powersInWords(powersOf(item))}</span></span
  >`;
}

customElements.define("team-page", TeamPage);
