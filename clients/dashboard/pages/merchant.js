// One merchant, for a platform administrator: decisions with their reasons, terms, team and history.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge, wordOf } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDateTime } from "/kit/time.js";
import { api, call } from "../api.js";
import { icon } from "../icons.js";
import { Page, Resource } from "../page.js";
import { dialog, field, refusal, toast, valuesOf } from "../forms.js";
import { bars, formatPercent, states } from "../parts.js";

/** @typedef {import("../store.js").Schemas} Schemas */
/** @typedef {Schemas["AdministeredMerchant"]} Merchant */
/** @typedef {Schemas["AdministeredMerchantChange"]} Change */

/** Which status may follow which, with the verb. @type {Partial<Record<Schemas["MerchantStatus"], [Schemas["MerchantStatus"], string][]>>} */
const NEXT = {
  DECISION_PENDING: [["ACTIVE", "Approve"], ["WAITING_FOR_INFO", "Ask for information"], ["DECLINED", "Decline"]],
  ACTIVE: [["SUSPENDED", "Suspend"], ["INACTIVE", "Close"]],
  SUSPENDED: [["ACTIVE", "Lift the suspension"], ["INACTIVE", "Close"]],
  DECLINED: [["WAITING_FOR_INFO", "Ask for information"]],
};
const MODES = { SETTLEMENT_ON_SALE: "On sale", SETTLEMENT_ON_REDEMPTION: "On redemption" };

class MerchantPage extends Page {
  merchant = new Resource(this, async () => (await call(() => api.GET("/api/admin/merchants/{id}", { params: { path: { id: this.params.id ?? "" } } }))).data);

  arrive() {
    this.merchant.load();
  }

  render() {
    return html`<p class="trail"><a href="/merchants">${icon("back", { mirror: true })}Merchants</a></p>${states(this.merchant, { what: "The merchant", skeleton: bars(8), ready: (one) => this.detail(one) })}`;
  }

  /** @param {Merchant} one */
  detail(one) {
    const { profile, fees } = one;
    const currency = profile.currency ?? "EUR";
    const address = profile.legalAddress;
    return html`<header class="page-head"><div><h1 tabindex="-1" dir="auto">${one.name}</h1><p class="muted">${badge(one.status)} <span>${one.slug}</span></p></div>
        <div class="actions">${(NEXT[one.status] ?? []).map(([status, verb], i) => html`<button class="button ${i === 0 && one.status === "DECISION_PENDING" ? "primary" : ""}" type="button" @click=${() => this.change(one, verb, { status })}>${verb}</button>`)}</div></header>
      <div class="thirds"><section class="panel"><header><h2>Company</h2></header>${pairs([["Legal name", profile.legalName], ["Registration", profile.registrationNumber], ["VAT", profile.vatNumber], ["Address", [address.line1, address.postalCode, address.city, address.country].filter(Boolean).join(", ")], ["Time zone", profile.timeZone], ["Directors", profile.directors.map((director) => director.name).join(", ")]])}</section>
        <section class="panel"><header><h2>Verification</h2></header>${pairs([["Result", one.verification.status && wordOf(one.verification.status)], ["Decided", one.verification.decidedAt && formatDateTime(one.verification.decidedAt)], ["Changed since", one.verification.changedFields.join(", ")]], "Not started")}</section>
        <section class="panel"><header><h2>Settlement</h2><button class="button" type="button" @click=${() => this.editTerms(one)}>Change</button></header>${pairs([["Mode", one.settlementMode ? MODES[one.settlementMode] : "Not set"], ["Fee", `${formatPercent(fees.percentBps / 100)} + ${formatMinor(fees.fixedMinor, currency)}`], ["Paid after", `${one.payoutDelayDays} days`], ["Network account", one.networkMerchantId ?? "None"], ["Largest sale", one.maxSaleMinor === null ? "No limit" : formatMinor(one.maxSaleMinor, currency)]])}</section></div>
      <section class="panel"><header><h2>Team</h2></header><ul class="rows">${one.team.map((member) => html`<li><span class="two-lines grow"><b dir="auto">${`${member.firstName} ${member.lastName}`.trim() || member.email}</b><span class="small muted wrap">${member.email}</span></span><span class="small muted">${member.permissions ? "Chosen permissions" : wordOf(member.role ?? "ADMIN")}</span></li>`)}</ul></section>
      <section class="panel"><header><h2>History</h2></header>${one.audit.length === 0 ? html`<p class="none faint">Nothing yet</p>` : html`<ul class="rows">${one.audit.map((entry) => html`<li><span class="two-lines grow"><b>${wordOf(entry.action)}</b>${entry.changes.map((changed) => html`<span class="small muted wrap">${changed.field}: ${changed.from ?? "none"} → ${changed.to ?? "none"}</span>`)}${entry.reason ? html`<span class="small wrap" dir="auto">${entry.reason}</span>` : nothing}</span><span class="amounts small muted"><span>${formatDateTime(entry.at)}</span><span class="mono">${entry.by}</span></span></li>`)}</ul>`}</section>`;
  }

  /** @param {Merchant} one @param {string} verb @param {Omit<Change, "reason">} changes */
  change(one, verb, changes) {
    return this.ask(`${verb}: ${one.name}`, verb, nothing, () => changes);
  }

  /** @param {Merchant} one */
  editTerms(one) {
    const fields = html`<div class="two">${field({ name: "percentBps", label: "Fee in hundredths of a percent", value: String(one.fees.percentBps), inputmode: "numeric", hint: "250 is 2.5%" })}${field({ name: "fixedMinor", label: "Fixed fee in minor units", value: String(one.fees.fixedMinor), inputmode: "numeric" })}</div>
      <div class="two">${field({ name: "payoutDelayDays", label: "Paid after days", value: String(one.payoutDelayDays), inputmode: "numeric" })}${field({ name: "networkMerchantId", label: "Network account", value: one.networkMerchantId ?? "" })}</div>
      ${one.settlementMode ? nothing : field({ name: "settlementMode", label: "Mode (cannot be changed later)", options: [["", "Not set"], ["SETTLEMENT_ON_SALE", "On sale"], ["SETTLEMENT_ON_REDEMPTION", "On redemption"]] })}`;
    return this.ask(`Terms of ${one.name}`, "Change the terms", fields, (values) => ({
      fees: { percentBps: Number(values.percentBps), fixedMinor: Number(values.fixedMinor) },
      payoutDelayDays: Number(values.payoutDelayDays),
      ...(values.networkMerchantId !== (one.networkMerchantId ?? "") && { networkMerchantId: values.networkMerchantId || null }),
      ...((values.settlementMode === "SETTLEMENT_ON_SALE" || values.settlementMode === "SETTLEMENT_ON_REDEMPTION") && { settlementMode: values.settlementMode }),
    }));
  }

  /** @param {string} title @param {string} verb @param {unknown} fields @param {(values: Record<string, string>) => Omit<Change, "reason">} changesOf */
  async ask(title, verb, fields, changesOf) {
    let busy = false;
    /** @type {unknown} */
    let problem = null;
    const done = await dialog(title, (/** @type {(done?: boolean) => void} */ close, draw) => html`<form @submit=${async (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      if (busy) return;
      const { reason = "", ...values } = valuesOf(/** @type {HTMLFormElement} */ (event.target));
      busy = true;
      problem = null;
      draw();
      try {
        const { data } = await call(() => api.PATCH("/api/admin/merchants/{id}", { params: { path: { id: this.params.id ?? "" } }, body: { ...changesOf(values), reason } }));
        this.merchant.data = data;
        close(true);
      } catch (error) {
        problem = error;
      }
      busy = false;
      draw();
    }}>${fields}${field({ name: "reason", label: "Reason", rows: 2, maxlength: 1000, hint: "It stays in the history." })}${refusal(problem, "Nothing was changed.")}
      <footer><button class="button" type="button" @click=${() => close(false)}>Cancel</button><button class="button primary" aria-busy=${busy ? "true" : "false"}>${verb}</button></footer></form>`);
    if (done) toast("The merchant was changed.");
    this.merchant.load();
  }
}

/** @param {[string, string | null | undefined][]} list @param {string} [none] */
function pairs(list, none = "Nothing yet") {
  const known = list.filter(([, value]) => value);
  return known.length ? html`<dl class="pairs inset">${known.map(([name, value]) => html`<div><dt>${name}</dt><dd class="wrap" dir="auto">${value}</dd></div>`)}</dl>` : html`<p class="none faint">${none}</p>`;
}

customElements.define("merchant-page", MerchantPage);
