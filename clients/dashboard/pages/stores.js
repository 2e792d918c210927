// Stores and tills: the shops that the card network knows, and the tills that are paired with them.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge, toneBadge } from "/kit/badge.js";
import { formatDate, formatDateTime } from "/kit/time.js";
import { property } from "/portal-api/errors.js";
import { api, call } from "../api.js";
import { Page, Resource } from "../page.js";
import { confirm, dialog, field, refusal, toast, valuesOf } from "../forms.js";
import { empty, formatCount, head, nothingYet, states } from "../parts.js";
import { mayChange, mayEquip, store } from "../store.js";
import { maxLength } from "../bounds.js";

/** @typedef {import("../store.js").Schemas} Schemas */
/** @typedef {Schemas["RetailStore"]} Store */
/** @typedef {Schemas["ListedTill"]} Till */

class StoresPage extends Page {
  stores = new Resource(this, async () => (await call(() => api.GET("/api/bff/merchant-stores"))).data.retailStores);
  tills = new Resource(this, async () => (await call(() => api.GET("/api/auth/tills"))).data);

  arrive() {
    this.stores.load();
    if (mayChange("merchant.team.invite")) this.tills.load();
  }

  render() {
    const manages = mayChange("merchant.team.invite");
    return html`${head("Stores and tills", "Where cards are sold and redeemed", mayEquip("merchant.team.invite") ? html`<button class="button primary" type="button" @click=${this.addTill}>Pair a till</button>` : nothing)}
      ${
        manages
          ? html`<section class="panel">
              <header><h2>Tills</h2></header>
              ${states(this.tills, {
                what: "Tills",
                rows: 3,
                ready: (tills) =>
                  tills.some((till) => !till.revokedAt)
                    ? html`<ul class="rows">
                        ${tills.filter((till) => !till.revokedAt).map((till) => this.till(till))}
                      </ul>`
                    : nothingYet(
                        "tills",
                        "A till is a phone or a tablet that sells and redeems cards.",
                        html`<button class="button" type="button" @click=${this.addTill}>Pair a till</button>`,
                      ),
              })}
            </section>`
          : nothing
      }
      <section class="panel">
        <header>
          <h2>Stores</h2>
          ${mayEquip("portal.organization") ? html`<button class="button" type="button" @click=${() => this.editStore(null)}>Add a store</button>` : nothing}
        </header>
        ${states(this.stores, {
          what: "Stores",
          rows: 4,
          ready: (stores) =>
            stores.length === 0
              ? empty(
                  "No stores",
                  "Stores of your account at the card network appear here. They may also be out of reach at the moment.",
                )
              : html`<ul class="rows">
                  ${stores.map((one) => this.store(one))}
                </ul>`,
        })}
      </section>`;
  }

  /** @param {Store} one */
  store(one) {
    const address = [one.address1, one.address2, [one.postcode, one.city].filter(Boolean).join(" ")]
      .filter(Boolean)
      .join(", ");
    const name = nameOf(one);
    const status = property(one, "status");
    return html`<li>
      <span class="two-lines grow"
        ><b class="wrap" dir="auto">${name}</b
        ><span class="small muted wrap" dir="auto"
          >${[address, one.cashRegisters > 0 && `${formatCount(one.cashRegisters)} ${one.cashRegisters === 1 ? "register" : "registers"}`].filter(Boolean).join(" · ")}</span
        ></span
      >
      ${typeof status === "string" && status !== "ACTIVE" ? badge(status) : nothing}
      ${mayEquip("portal.organization") ? html`<button class="button" type="button" aria-label=${`Edit ${name}`} @click=${() => this.editStore(one)}>Edit</button>` : nothing}
    </li>`;
  }

  /** @param {Till} till */
  till(till) {
    const over = till.expiresAt !== null && Date.parse(till.expiresAt) < Date.now();
    const state = !till.pairedAt
      ? toneBadge("neutral", "Not paired")
      : over
        ? toneBadge("neutral", "Expired")
        : toneBadge("ok", "Paired");
    return html`<li>
      <span class="two-lines grow"
        ><b class="wrap" dir="auto">${till.name}</b
        ><span class="small muted" dir="auto"
          >${till.retailStoreName ?? till.retailStoreId}${till.lastSeenAt ? ` · last seen ${formatDateTime(till.lastSeenAt, store.timeZone)}` : ` · added ${formatDate(till.createdAt, store.timeZone)}`}</span
        ></span
      >
      ${state}<span class="actions"
        >${mayEquip("merchant.team.invite") ? html`<button class="button" type="button" aria-label=${`${till.pairedAt ? "Pair again" : "Pair"}: ${till.name}`} @click=${() => this.pairAgain(till)}>${till.pairedAt ? "Pair again" : "Pair"}</button>` : nothing}
        <button class="button" type="button" aria-label=${`Revoke ${till.name}`} @click=${() => this.revoke(till)}>
          Revoke
        </button></span
      >
    </li>`;
  }

  async addTill() {
    const stores = this.stores.data ?? [];
    let busy = false;
    /** @type {unknown} */
    let problem = null;
    /** @type {Schemas["TillToPair"] | undefined} */
    const made = await dialog("Pair a till", (/** @type {(made?: Schemas["TillToPair"]) => void} */ close, draw) => {
      /** @param {SubmitEvent} event */
      async function add(event) {
        event.preventDefault();
        const { name = "", store: id = "" } = valuesOf(/** @type {HTMLFormElement} */ (event.target));
        if (busy) return;
        busy = true;
        problem = null;
        draw();
        try {
          const chosen = stores.find((one) => one.externalId === id);
          const { data } = await call(() =>
            api.POST("/api/auth/tills", {
              body: { name, retailStoreId: id, ...(chosen && { retailStoreName: nameOf(chosen) }) },
            }),
          );
          close(data);
        } catch (error) {
          problem = error;
        }
        busy = false;
        draw();
      }
      return html`<form @submit=${add}>
        ${field({ name: "name", label: "Name of the till", required: true, maxlength: maxLength.createTill.name, hint: "Such as Counter 1" })}
        ${stores.length ? field({ name: "store", label: "Store", options: stores.map((one) => /** @type {const} */ ([one.externalId, nameOf(one)])) }) : field({ name: "store", label: "Number of the store", required: true })}
        ${refusal(problem, "The till was not added.")}
        <footer>
          <button class="button" type="button" @click=${() => close()}>Cancel</button
          ><button class="button primary" aria-busy=${busy ? "true" : "false"}>Show the code</button>
        </footer>
      </form>`;
    });
    this.tills.load();
    if (made) await this.showCode(made);
  }

  /** @param {Till} till */
  async pairAgain(till) {
    const again =
      till.pairedAt !== null &&
      !(await confirm({
        title: `Pair ${till.name} again?`,
        text: "The device that is paired now is signed out as soon as another one uses the new code.",
        verb: "Show a new code",
        failed: "",
        act: async () => {},
      }));
    if (again) return;
    await this.newCode(till.id);
  }

  /** @param {string} id */
  async newCode(id) {
    try {
      const { data } = await call(() => api.POST("/api/auth/tills/{id}/pairing", { params: { path: { id } } }));
      await this.showCode(data);
    } catch (problem) {
      await dialog(
        "No code",
        (close) =>
          html`${refusal(problem, "There is no new code. Nothing was changed.")}
            <footer><button class="button" type="button" @click=${() => close()}>Close</button></footer>`,
      );
    }
  }

  /** Shows the code until the till has used it or it is over. @param {Schemas["TillToPair"]} made */
  async showCode(made) {
    const shownAt = Date.now();
    let paired = false;
    let over = false;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    let timer;
    const again = await dialog(`Pair ${made.name}`, (/** @type {(again?: boolean) => void} */ close, draw) => {
      timer ??= setInterval(async () => {
        const seconds = Math.round((Date.now() - shownAt) / 1000);
        over = Date.parse(made.pairingExpiresAt) <= Date.now();
        if (!paired && seconds % 3 === 0) {
          const list = await call(() => api.GET("/api/auth/tills")).catch(() => null);
          const till = list?.data.find((one) => one.id === made.id);
          paired = Boolean(till?.pairedAt && Date.parse(till.pairedAt) > Date.parse(made.pairingExpiresAt) - 600_000);
        }
        draw();
      }, 1000);
      if (paired)
        return html`<p role="status">${made.name} is paired and ready.</p>
          <footer><button class="button primary" type="button" @click=${() => close()}>Done</button></footer>`;
      if (over)
        return html`<p role="status">The code has expired. No till was paired.</p>
          <footer>
            <button class="button" type="button" @click=${() => close()}>Close</button
            ><button class="button primary" type="button" @click=${() => close(true)}>Show a new code</button>
          </footer>`;
      const code = made.pairingCode.replaceAll(/[^0-9A-Z]/g, "");
      return html`<p>Open the till on the device and type this code.</p>
        <div class="pairing">
          <span class="mono" aria-label=${`Code ${[...code].join(" ")}`} role="text"
            >${code.slice(0, 5)}<span aria-hidden="true">&nbsp;</span>${code.slice(5)}</span
          ><span class="muted small" aria-hidden="true"
            >Works for ${formatCountdown(Date.parse(made.pairingExpiresAt) - Date.now())}</span
          ><span class="sr">The code works for 10 minutes.</span>
        </div>
        <p class="small muted" role="status">Waiting for the till</p>
        <footer><button class="button" type="button" @click=${() => close()}>Close</button></footer>`;
    });
    clearInterval(timer);
    this.tills.load();
    if (again) await this.newCode(made.id);
  }

  /** @param {Till} till */
  async revoke(till) {
    const done = await confirm({
      title: `Revoke ${till.name}?`,
      text: "The till stops selling and redeeming at once. To use it again, pair it anew.",
      verb: `Revoke ${till.name}`,
      failed: "The till was not revoked. It works as before.",
      act: () => call(() => api.DELETE("/api/auth/tills/{id}", { params: { path: { id: till.id } } })),
    });
    if (!done) return;
    toast(`${till.name} is revoked.`);
    this.tills.load();
  }

  /** @param {Store | null} one */
  async editStore(one) {
    let busy = false;
    /** @type {unknown} */
    let problem = null;
    const saved = await dialog(
      one ? `Edit ${nameOf(one)}` : "Add a store",
      (/** @type {(saved?: boolean) => void} */ close, draw) => {
        /** @param {SubmitEvent} event */
        async function save(event) {
          event.preventDefault();
          if (busy) return;
          const { status, ...fields } = valuesOf(/** @type {HTMLFormElement} */ (event.target));
          busy = true;
          problem = null;
          draw();
          try {
            if (one)
              await call(() =>
                api.PUT("/api/bff/retail-store", {
                  body: { ...fields, externalId: one.externalId, status: status ?? "Active" },
                }),
              );
            else await call(() => api.POST("/api/bff/retail-store", { body: fields }));
            close(true);
          } catch (error) {
            problem = error;
          }
          busy = false;
          draw();
        }
        return html`<form @submit=${save}>
          ${field({ name: "name", label: "Name", value: one ? nameOf(one) : "", required: true })}
          ${field({ name: "address1", label: "Address", value: one?.address1 ?? "", required: true })}${field({ name: "address2", label: "Address, second line", value: one?.address2 ?? "" })}
          <div class="two">
            ${field({ name: "postcode", label: "Postal code", value: one?.postcode ?? "" })}${field({ name: "city", label: "City", value: one?.city ?? "", required: true })}
          </div>
          <div class="two">
            ${field({ name: "country", label: "Country", value: one?.country ?? "", required: true, maxlength: 2, hint: "Two letters, such as SE" })}
            ${
              one
                ? field({
                    name: "status",
                    label: "Status",
                    value: property(one, "status") === "ACTIVE" ? "Active" : "Closed",
                    options: [
                      ["Active", "Open"],
                      ["Closed", "Closed"],
                    ],
                  })
                : nothing
            }
          </div>
          ${refusal(problem, "The store was not saved. Nothing was changed.")}
          <footer>
            <button class="button" type="button" @click=${() => close(false)}>Cancel</button
            ><button class="button primary" aria-busy=${busy ? "true" : "false"}>
              ${one ? "Save" : "Add the store"}
            </button>
          </footer>
        </form>`;
      },
    );
    if (!saved) return;
    toast("The store was saved.");
    this.stores.load();
  }
}

/** @param {Store} one */
function nameOf(one) {
  const name = property(one, "name");
  return typeof name === "string" && name ? name : one.address1 || one.externalId;
}

/**
 * The rest of a countdown: "9:05".
 * @param {number} milliseconds
 */
function formatCountdown(milliseconds) {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

customElements.define("stores-page", StoresPage);
