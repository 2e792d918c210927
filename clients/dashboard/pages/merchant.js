// One merchant, for a platform administrator: decisions with their reasons, terms, team and history.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge, wordOf } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDateTime } from "/kit/time.js";
import { parseAmount, typedAmount } from "/kit/typed-amount.js";
import { api, call } from "../api.js";
import { icon } from "../icons.js";
import { Page, Resource } from "../page.js";
import { formatFee } from "../fees.js";
import { dialog, field, focusError, refusal, toast, valuesOf } from "../forms.js";
import { dayCount, history, modeWord } from "../history.js";
import { bars, states } from "../parts.js";
import { maxLength } from "../bounds.js";

/** @typedef {import("../store.js").Schemas} Schemas */
/** @typedef {Schemas["AdministeredMerchant"]} Merchant */
/** @typedef {Schemas["AdministeredMerchantChange"]} Change */

/** Which status may follow which, with the verb. @type {Partial<Record<Schemas["MerchantStatus"], [Schemas["MerchantStatus"], string][]>>} */
const NEXT = {
  DECISION_PENDING: [
    ["ACTIVE", "Approve"],
    ["WAITING_FOR_INFO", "Ask for information"],
    ["DECLINED", "Decline"],
  ],
  ACTIVE: [
    ["SUSPENDED", "Suspend"],
    ["INACTIVE", "Close"],
  ],
  SUSPENDED: [
    ["ACTIVE", "Lift the suspension"],
    ["INACTIVE", "Close"],
  ],
  DECLINED: [["WAITING_FOR_INFO", "Ask for information"]],
};

class MerchantPage extends Page {
  merchant = new Resource(
    this,
    async () =>
      (await call(() => api.GET("/api/admin/merchants/{id}", { params: { path: { id: this.params.id ?? "" } } }))).data,
  );

  arrive() {
    this.merchant.load();
  }

  render() {
    return html`<p class="trail"><a href="/merchants">${icon("back", { mirror: true })}Merchants</a></p>
      ${states(this.merchant, { what: "The merchant", skeleton: bars(8), ready: (one) => this.detail(one) })}`;
  }

  /** @param {Merchant} one */
  detail(one) {
    const { profile, fees } = one;
    const currency = profile.currency ?? "EUR";
    const address = profile.legalAddress;
    return html`<header class="page-head">
        <div>
          <h1 tabindex="-1" dir="auto">${one.name}</h1>
          <p class="muted">${badge(one.status)} <span>${one.slug}</span></p>
        </div>
        <div class="actions">
          ${(NEXT[one.status] ?? []).map(([status, verb], i) => html`<button class="button ${i === 0 && one.status === "DECISION_PENDING" ? "primary" : ""}" type="button" @click=${() => this.change(one, verb, { status })}>${verb}</button>`)}
        </div>
      </header>
      <div class="thirds">
        <section class="panel">
          <header><h2>Company</h2></header>
          ${pairs([
            ["Legal name", profile.legalName],
            ["Registration", profile.registrationNumber],
            ["VAT", profile.vatNumber],
            ["Address", [address.line1, address.postalCode, address.city, address.country].filter(Boolean).join(", ")],
            ["Time zone", profile.timeZone],
            ["Directors", profile.directors.map((director) => director.name).join(", ")],
          ])}
        </section>
        <section class="panel">
          <header><h2>Verification</h2></header>
          ${pairs(
            [
              ["Result", one.verification.status && wordOf(one.verification.status)],
              ["Decided", one.verification.decidedAt && formatDateTime(one.verification.decidedAt)],
              ["Changed since", one.verification.changedFields.join(", ")],
            ],
            "Not started",
          )}
        </section>
        <section class="panel">
          <header>
            <h2>Settlement</h2>
            <button class="button" type="button" @click=${() => this.editTerms(one)}>Change</button>
          </header>
          ${pairs([
            ["Settled", modeWord(one.settlementMode)],
            ["Fee", formatFee(fees.percentBps, fees.fixedMinor, currency) || "None"],
            ["Paid after", dayCount(one.payoutDelayDays)],
            ["Network account", one.networkMerchantId ?? "None"],
            ["Largest sale", one.maxSaleMinor === null ? "No limit" : formatMinor(one.maxSaleMinor, currency)],
          ])}
        </section>
      </div>
      <section class="panel">
        <header><h2>Team</h2></header>
        <ul class="rows">
          ${one.team.map(
            (member) =>
              html`<li>
                <span class="two-lines grow"
                  ><b dir="auto">${`${member.firstName} ${member.lastName}`.trim() || member.email}</b
                  ><span class="small muted wrap">${member.email}</span></span
                ><span class="small muted"
                  >${member.permissions ? "Chosen permissions" : wordOf(member.role ?? "ADMIN")}</span
                >
              </li>`,
          )}
        </ul>
      </section>
      <section class="panel">
        <header><h2>History</h2></header>
        ${history(one.audit, currency)}
      </section>`;
  }

  /** @param {Merchant} one @param {string} verb @param {Omit<Change, "reason">} changes */
  change(one, verb, changes) {
    return this.ask(
      `${verb}: ${one.name}`,
      verb,
      () => nothing,
      () => ({ changes, errors: {} }),
    );
  }

  /** @param {Merchant} one */
  editTerms(one) {
    const currency = one.profile.currency ?? "EUR";
    /** @param {Record<string, string>} errors */
    const fields = (errors) =>
      html`<div class="two">
          ${field({ name: "percent", label: "Fee in percent", value: typedAmount(one.fees.percentBps, "EUR"), inputmode: "decimal", error: errors.percent })}${field({ name: "fixed", label: `Fixed fee in ${currency}`, value: typedAmount(one.fees.fixedMinor, currency), inputmode: "decimal", error: errors.fixed })}
        </div>
        <div class="two">
          ${field({ name: "payoutDelayDays", label: "Paid after days", value: String(one.payoutDelayDays), inputmode: "numeric", error: errors.payoutDelayDays })}${field({ name: "networkMerchantId", label: "Network account", value: one.networkMerchantId ?? "" })}
        </div>
        ${
          one.settlementMode
            ? nothing
            : field({
                name: "settlementMode",
                label: "Settled",
                hint: "This cannot be changed later.",
                options: [
                  ["", "Not set"],
                  ["SETTLEMENT_ON_SALE", "On sale"],
                  ["SETTLEMENT_ON_REDEMPTION", "On redemption"],
                ],
              })
        }`;
    return this.ask(`Terms of ${one.name}`, "Change the terms", fields, (values) => {
      const percentBps = parseAmount(values.percent ?? "", "EUR"); // hundredths, as those of a currency with two decimals
      const fixedMinor = parseAmount(values.fixed ?? "", currency);
      const days = values.payoutDelayDays ?? "";
      const errors = {
        ...((percentBps === null || percentBps > 10_000) && { percent: "Enter 0 to 100, with at most two decimals." }),
        ...(fixedMinor === null && { fixed: `Enter an amount in ${currency}.` }),
        ...(!(/^\d{1,3}$/.test(days) && Number(days) <= 365) && { payoutDelayDays: "Enter 0 to 365 days." }),
      };
      /** @type {Omit<Change, "reason">} */
      const changes = {
        fees: { percentBps: percentBps ?? 0, fixedMinor: fixedMinor ?? 0 },
        payoutDelayDays: Number(days),
        ...(values.networkMerchantId !== (one.networkMerchantId ?? "") && {
          networkMerchantId: values.networkMerchantId || null,
        }),
        ...((values.settlementMode === "SETTLEMENT_ON_SALE" ||
          values.settlementMode === "SETTLEMENT_ON_REDEMPTION") && { settlementMode: values.settlementMode }),
      };
      return { changes, errors };
    });
  }

  /**
   * Asks for the reason of a change, and for what changes.
   * @param {string} title
   * @param {string} verb
   * @param {(errors: Record<string, string>) => unknown} fields
   * @param {(values: Record<string, string>) => {changes: Omit<Change, "reason">, errors: Record<string, string>}} read
   */
  async ask(title, verb, fields, read) {
    let busy = false;
    /** @type {Record<string, string>} */
    let errors = {};
    /** @type {unknown} */
    let problem = null;
    const done = await dialog(
      title,
      (/** @type {(done?: boolean) => void} */ close, draw) =>
        html`<form
          novalidate
          @submit=${async (/** @type {SubmitEvent} */ event) => {
            event.preventDefault();
            if (busy) return;
            const form = /** @type {HTMLFormElement} */ (event.target);
            const { reason = "", ...values } = valuesOf(form);
            const { changes, errors: wrong } = read(values);
            errors = { ...wrong, ...(reason === "" && { reason: "Enter the reason." }) };
            problem = null;
            if (Object.keys(errors).length > 0) {
              draw();
              return focusError(form);
            }
            busy = true;
            draw();
            try {
              const { data } = await call(() =>
                api.PATCH("/api/admin/merchants/{id}", {
                  params: { path: { id: this.params.id ?? "" } },
                  body: { ...changes, reason },
                }),
              );
              this.merchant.data = data;
              close(true);
            } catch (error) {
              problem = error;
            }
            busy = false;
            draw();
          }}
        >
          ${fields(errors)}${field({ name: "reason", label: "Reason", rows: 2, maxlength: maxLength.changeMerchant.reason, hint: "It stays in the history.", error: errors.reason })}${refusal(problem, "Nothing was changed.")}
          <footer>
            <button class="button" type="button" @click=${() => close(false)}>Cancel</button
            ><button class="button primary" aria-busy=${busy ? "true" : "false"}>${verb}</button>
          </footer>
        </form>`,
    );
    if (done) toast("The merchant was changed.");
    this.merchant.load();
  }
}

/** @param {[string, string | null | undefined][]} list @param {string} [none] */
function pairs(list, none = "Nothing yet") {
  const known = list.filter(([, value]) => value);
  return known.length
    ? html`<dl class="pairs inset">
        ${known.map(
          ([name, value]) =>
            html`<div>
              <dt>${name}</dt>
              <dd class="wrap" dir="auto">${value}</dd>
            </div>`,
        )}
      </dl>`
    : html`<p class="none faint">${none}</p>`;
}

customElements.define("merchant-page", MerchantPage);
