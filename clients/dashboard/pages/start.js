// For somebody without a merchant: an invitation to accept, or a business to set up.

import { html, nothing } from "/kit/vendor/lit.js";
import { formatDate } from "/kit/time.js";
import { config } from "/config.js";
import { api, call, explain, Problem } from "../api.js";
import { FormPage } from "../form-page.js";
import { field, focusError, refusal, toast, valuesOf } from "../forms.js";
import { head } from "../parts.js";
import { go } from "../router.js";
import { store } from "../store.js";
import { maxLength } from "../bounds.js";

const ROLES = { ADMIN: "administrator", FULL: "a member with full access", VIEWER: "a viewer (read-only)" };

class StartPage extends FormPage {
  name = "";
  /** The address of the shop; follows the name until it is typed. @type {string | null} */
  slug = null;
  /** @type {Record<string, string>} */
  errors = {};

  render() {
    const session = store.session;
    const linked = location.pathname === "/invite" ? location.hash.slice(1) : "";
    const invites = [...(session?.invites ?? [])].sort(
      (a, b) => Number(b.challengeId === linked) - Number(a.challengeId === linked),
    );
    if (session?.merchant && location.pathname !== "/invite") {
      return html`${head(session.merchant.name, "You may use the till, and nothing else in this portal.", html`<a class="button primary" href=${config.till}>Open the till</a>`)}`;
    }
    if (session?.merchant) {
      return html`${head("Invitation")}
        <div class="notice">
          ${html`<span></span>`}
          <div>
            <b>You belong to ${session.merchant.name}.</b>
            <p>An invitation can be accepted by somebody without a business only. Sign in with another address.</p>
          </div>
        </div>`;
    }
    return html`${head(invites.length ? "You are invited" : "Set up your business", invites.length ? nothing : "Then tell the platform about it and sell your first card.")}
    ${
      linked && !invites.some((invite) => invite.challengeId === linked)
        ? html`<div class="notice warn" role="alert">
            <span></span>
            <div>
              <b>This invitation is not for ${session?.user?.email}, or it is over.</b>
              <p>Sign in with the address that was invited, or ask for a new invitation.</p>
            </div>
          </div>`
        : nothing
    }
    ${invites.map(
      (invite, i) =>
        html`<section class="panel">
          <div class="form">
            <h2 class="wrap" dir="auto">${invite.merchantName}</h2>
            <p class="muted">
              You join as ${invite.role ? ROLES[invite.role] : "a member with chosen permissions"}. The invitation works
              until ${formatDate(invite.expiresAt)}.
            </p>
            ${this.busy === "" ? refusal(this.problem, "You did not join. Nothing was changed.") : nothing}
            <div>
              <button
                class="button ${i === 0 ? "primary" : ""}"
                type="button"
                aria-busy=${this.busy === invite.challengeId ? "true" : "false"}
                @click=${() => this.accept(invite.challengeId, invite.merchantName)}
              >
                Join ${invite.merchantName}
              </button>
            </div>
          </div>
        </section>`,
    )}
    ${
      invites.length
        ? html`<details>
            <summary>Set up a business of your own instead</summary>
            ${this.form(false)}
          </details>`
        : this.form(true)
    }`;
  }

  /** @param {boolean} primary */
  form(primary) {
    const slug = this.slug ?? slugOf(this.name);
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    return html`<section class="panel">
      <form class="form" novalidate @submit=${this.found}>
        ${field({
          name: "name",
          label: "Name of the business",
          value: this.name,
          required: true,
          maxlength: maxLength.foundMerchant.name,
          error: this.errors.name,
          oninput: (value) => {
            this.name = value;
            this.errors = {};
            this.requestUpdate();
          },
        })}
        ${field({
          name: "slug",
          label: "Address of the shop",
          value: slug,
          required: true,
          maxlength: maxLength.foundMerchant.slug,
          error: this.errors.slug,
          hint: "3 to 40 letters a to z, digits and single dashes",
          oninput: (value) => {
            this.slug = value.toLowerCase();
            this.errors = {};
            this.requestUpdate();
          },
        })}
        <div class="two">
          ${field({ name: "country", label: "Country", maxlength: 2, error: this.errors.country, hint: "Two letters, such as SE" })}${field({ name: "currency", label: "Currency", value: "EUR", maxlength: 3, error: this.errors.currency, hint: "Three letters, such as SEK" })}
        </div>
        ${field({ name: "timeZone", label: "Time zone", value: zone, error: this.errors.timeZone })}
        ${refusal(this.problem, "The business was not set up. Nothing was changed.")}
        <div>
          <button class="button ${primary ? "primary" : ""}" aria-busy=${this.busy === "found" ? "true" : "false"}>
            Set up the business
          </button>
        </div>
      </form>
    </section>`;
  }

  /** @param {SubmitEvent} event */
  async found(event) {
    event.preventDefault();
    if (this.busy) return;
    const {
      name = "",
      slug = "",
      country,
      currency,
      timeZone,
    } = valuesOf(/** @type {HTMLFormElement} */ (event.target));
    this.errors = {
      ...(name.length < 2 && { name: "Enter a name of 2 to 80 characters." }),
      ...(!/^(?=.{3,40}$)[a-z0-9]+(-[a-z0-9]+)*$/.test(slug) && {
        slug: "Use 3 to 40 letters a to z, digits and single dashes inside.",
      }),
    };
    if (Object.keys(this.errors).length) {
      this.requestUpdate();
      return focusError(this);
    }
    await this.run("found", async () => {
      try {
        await call(() =>
          api.POST("/api/auth/merchant", {
            body: {
              name,
              slug,
              ...(country && { country: country.toUpperCase() }),
              ...(currency && { currency: currency.toUpperCase() }),
              ...(timeZone && { timeZone }),
            },
          }),
        );
      } catch (problem) {
        if (!(problem instanceof Problem) || problem.code !== "SLUG_TAKEN") throw problem;
        this.errors = { slug: explain(problem) };
        return focusError(this);
      }
      this.edited = false;
      go("/", { replace: true });
      dispatchEvent(new Event("session-changed"));
    });
  }

  /** @param {string} challengeId @param {string} name */
  async accept(challengeId, name) {
    if (this.busy) return;
    await this.run(challengeId, async () => {
      await call(() => api.POST("/api/auth/invites/{challengeId}/acceptance", { params: { path: { challengeId } } }));
      toast(`You are a member of ${name} now.`);
      this.edited = false;
      go("/", { replace: true });
      dispatchEvent(new Event("session-changed"));
    });
  }
}

/** @param {string} name */
function slugOf(name) {
  return name
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f]/g, "")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replaceAll(/^-+|-+$/g, "");
}

customElements.define("start-page", StartPage);
