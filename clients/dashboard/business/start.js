// For somebody without a merchant: an invitation to accept, or a business to set up.

import { html, nothing } from "/kit/vendor/lit.js";
import { config } from "/config.js";
import { api, explain, Problem } from "../shell/api.js";
import { carryOut } from "../shell/change.js";
import { maxLength } from "../forms/bounds.js";
import { FormPage } from "../forms/form-page.js";
import { errorSummary, field, focusError, refusal, submitButton, toast } from "../forms/forms.js";
import { icon } from "../shell/icons.js";
import { accept, hasMerchant, invitation, notInvited, whyNotInvited } from "./invitations.js";
import { head } from "../shell/parts.js";
import { countries, currencies, currencyOf, ownCountry, zones } from "../forms/regions.js";
import { go } from "../shell/router.js";
import { isSlug, slugOf } from "./slug.js";
import { store } from "../shell/store.js";

const NAMES = { name: "Name of the business", slug: "Address of the shop", country: "Country" };

/** What the addresses of all shops begin with; empty where the deployment does not say. */
const SHOPS = config.storefront ?? "";

class StartPage extends FormPage {
  name = "";
  /** The address of the shop; follows the name until it is typed. @type {string | null} */
  slug = null;
  country = ownCountry();
  /** Follows the country until it is chosen. @type {string | null} */
  currency = null;
  timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  /** @type {Partial<Record<keyof typeof NAMES, string>>} */
  errors = {};
  /** Of the invitation of the address, if it is not for this session. @type {{invited: string | null} | null} */
  reason = null;

  get linked() {
    return location.pathname === "/invite" ? location.hash.slice(1) : "";
  }

  /** The linked one first. */
  get invites() {
    const invites = [...(store.session?.invites ?? [])];
    return invites.sort((a, b) => Number(b.challengeId === this.linked) - Number(a.challengeId === this.linked));
  }

  async arrive() {
    const { linked } = this;
    if (!linked || store.session?.merchant || this.invites.some((invite) => invite.challengeId === linked)) return;
    this.reason = await whyNotInvited(linked).catch(() => null);
    this.requestUpdate();
  }

  render() {
    const merchant = store.session?.merchant;
    if (merchant) return location.pathname === "/invite" ? memberAlready(merchant.name) : onlyTill(merchant.name);
    const { invites } = this;
    const title = invites.length ? "You are invited" : "Set up your business";
    const note = invites.length ? nothing : "Then tell the platform about it and sell your first card.";
    return html`${head(title, note)} ${this.reason ? notInvited(this.reason) : nothing}
    ${invites.map((invite, i) => this.invitation(invite, i === 0))} ${invites.length ? this.ownBusiness() : this.form()}`;
  }

  /** @param {import("./invitations.js").Invite} invite @param {boolean} primary */
  invitation(invite, primary) {
    const { challengeId, merchantName } = invite;
    return invitation({
      invite,
      primary,
      busy: this.busy === challengeId,
      refused: this.busy ? nothing : refusal(this.problemOf(challengeId), "You did not join. Nothing was changed."),
      join: () => this.accept(challengeId, merchantName),
    });
  }

  ownBusiness() {
    return html`<details>
      <summary>Set up your own business instead</summary>
      ${this.form()}
    </details>`;
  }

  form() {
    return html`<section class="panel">
      <form class="form" novalidate @submit=${this.found}>
        ${errorSummary(this.errors, NAMES)} ${this.nameFields()} ${this.placeFields()}
        ${refusal(this.problemOf("found"), "The business was not set up. Nothing was changed.")}
        <div>
          ${submitButton("Set up the business", this.busy === "found", { tone: this.invites.length ? "" : "primary" })}
        </div>
      </form>
    </section>`;
  }

  nameFields() {
    const slug = this.slug ?? slugOf(this.name);
    return html`${field({
      name: "name",
      label: NAMES.name,
      value: this.name,
      required: true,
      maxlength: maxLength.foundMerchant.name,
      error: this.errors.name,
      oninput: (value) => this.set({ name: value }),
    })}
    ${field({
      name: "slug",
      label: NAMES.slug,
      value: slug,
      required: true,
      maxlength: maxLength.foundMerchant.slug,
      error: this.errors.slug,
      prefix: `${config.storefront.replace(/^https?:\/\//, "")}/`,
      hint: html`Customers find your shop at <b class="wrap mono">${`${config.storefront}/${slug || "…"}`}</b>. Only the
        platform can change it later.`,
      oninput: (value) => this.set({ slug: value.toLowerCase() }),
    })}`;
  }

  placeFields() {
    const { country, timeZone } = this;
    const currency = this.currency ?? currencyOf(country);
    return html`<div class="two">
        ${field({
          name: "country",
          label: NAMES.country,
          value: country,
          options: countries(country),
          error: this.errors.country,
          oninput: (value) => this.set({ country: value }),
        })}
        ${field({
          name: "currency",
          label: "Currency",
          value: currency,
          options: currencies(currency),
          hint: "That of your prices and payouts",
          oninput: (value) => this.set({ currency: value }),
        })}
      </div>
      ${field({
        name: "timeZone",
        label: "Time zone",
        value: timeZone,
        options: zones(timeZone),
        hint: "The days of reports begin and end in it. It can be changed later.",
        oninput: (value) => this.set({ timeZone: value }),
      })}`;
  }

  /** @param {Partial<Pick<StartPage, "name" | "slug" | "country" | "currency" | "timeZone">>} values */
  set(values) {
    Object.assign(this, values);
    for (const name of Object.keys(values)) delete this.errors[/** @type {keyof typeof NAMES} */ (name)];
    if ("name" in values) delete this.errors.slug;
    this.requestUpdate();
  }

  /** @param {SubmitEvent} event */
  async found(event) {
    event.preventDefault();
    const { country, timeZone } = this;
    const body = { name: this.name.trim(), slug: this.slug ?? slugOf(this.name), country, timeZone };
    this.errors = {
      ...(body.name.length < 2 && { name: "Enter a name of 2 to 80 characters." }),
      ...(!isSlug(body.slug) && { slug: "Use 3 to 40 letters a to z, digits and single dashes inside." }),
      ...(!country && { country: "Choose the country of the business." }),
    };
    this.requestUpdate();
    if (Object.keys(this.errors).length) return focusError(this);
    await this.run("found", async () => {
      try {
        const currency = this.currency ?? currencyOf(country);
        await carryOut(() => api.POST("/api/auth/merchant", { body: { ...body, currency } }), hasMerchant);
      } catch (problem) {
        if (!(problem instanceof Problem) || problem.code !== "SLUG_TAKEN") throw problem;
        this.errors = { slug: explain(problem) };
        return focusError(this);
      }
      this.leave();
    });
  }

  /** @param {string} challengeId @param {string} name */
  async accept(challengeId, name) {
    await this.run(challengeId, async () => {
      await accept(challengeId);
      toast(`You are a member of ${name} now.`);
      this.leave();
    });
  }

  /** There is a merchant now. */
  leave() {
    this.savedEdits = this.edits;
    go("/", { replace: true });
    dispatchEvent(new Event("session-changed"));
  }
}

/** @param {string} slug */
function shopAddress(slug) {
  return html`Customers find your shop at <b class="wrap mono">${`${SHOPS}/${slug || "…"}`}</b>.`;
}

/** @param {string} merchant */
function onlyTill(merchant) {
  const till = html`<a class="button primary" href=${config.till}>Open the till</a>`;
  return head(merchant, "You can use the till, but nothing else in this portal.", till);
}

/** @param {string} merchant */
function memberAlready(merchant) {
  return html`${head("Invitation")}
    <div class="notice">
      ${icon("info")}
      <div class="wrap">
        <b>You belong to ${merchant}.</b>
        <p>Only somebody without a business can accept an invitation. Sign in with another address.</p>
      </div>
    </div>`;
}

customElements.define("start-page", StartPage);
