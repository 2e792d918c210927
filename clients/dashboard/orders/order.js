// An order: its timeline, cards with their balances, items, customer and payment.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDateTime } from "/kit/time.js";
import { api, call, explain } from "../shell/api.js";
import { icon } from "../shell/icons.js";
import { moneyReports } from "../reports/money-report.js";
import { timeline } from "./order-timeline.js";
import { Page, Resource } from "../shell/page.js";
import { maskCode } from "./card-code.js";
import { pairs } from "../shell/pairs.js";
import { bars, states } from "../shell/parts.js";
import { may, store } from "../shell/store.js";
import { loadSheet } from "../shell/styles.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */
/** @typedef {Schemas["Order"]} Order */
/** @typedef {import("./order-timeline.js").Settlement} Settlement */

/** Redemptions of an order whose settlements are looked up. */
const MOST_SETTLEMENTS = 20;

class OrderPage extends Page {
  order = new Resource(this, async () => {
    const params = { path: { orderId: this.params.id ?? "" } };
    return (await call(() => api.GET("/api/bff/merchant-orders/{orderId}", { params }))).data;
  });
  /** What was done with its cards, latest first. */
  events = new Resource(this, () => this.readEvents());
  settlements = new Resource(this, () => this.readSettlements());
  /** Whether a card has earlier events than are shown. */
  isCutOff = false;
  /** One for each card: the card network answers for each by itself. @type {Map<string, Resource<Schemas["Balance"]>>} */
  balances = new Map();

  async arrive() {
    await this.order.load();
    this.loadBalances();
    if (may("portal.gift_cards")) await this.events.load();
    if (may("portal.reports")) this.settlements.load();
  }

  loadBalances() {
    const orderId = this.params.id ?? "";
    for (const { id: giftCardId, qrCode } of this.order.data?.giftCards ?? []) {
      if (!qrCode) continue;
      const params = { path: { orderId, giftCardId } };
      const address = "/api/bff/merchant-orders/{orderId}/gift-cards/{giftCardId}/balance";
      const balance = new Resource(this, async () => (await call(() => api.GET(address, { params }))).data);
      this.balances.set(giftCardId, balance);
      balance.load();
    }
  }

  async readEvents() {
    const codes = (this.order.data?.giftCards ?? []).flatMap(({ qrCode }) => qrCode ?? []);
    const histories = await Promise.all(
      [...new Set(codes)].map((qr) =>
        call(() => api.GET("/api/bff/cards/{qr}/history", { params: { path: { qr }, query: { limit: 100 } } })),
      ),
    );
    this.isCutOff = histories.some(({ data }) => data.nextCursor !== null);
    return histories.flatMap(({ data }) => data.events).toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  }

  /** Of the sale, or of what was redeemed: that depends on what the business is paid for. @returns {Promise<Settlement[]>} */
  async readSettlements() {
    const ofMode = moneyReports();
    const redemptionIds = (this.events.data ?? []).flatMap(({ kind, redemptionId }) =>
      kind === "REDEEMED" && redemptionId ? [redemptionId] : [],
    );
    const sources = [
      ...(ofMode.includes("sales") ? [{ orderId: this.params.id ?? "" }] : []),
      ...(ofMode.includes("redemptions") ? redemptionIds.reverse().map((redemptionId) => ({ redemptionId })) : []),
    ];
    const found = await Promise.all(
      sources
        .slice(0, MOST_SETTLEMENTS)
        .map((query) => call(() => api.GET("/api/bff/settlements/by-source", { params: { query } }))),
    );
    return found.flatMap(({ settlement }) => settlement ?? []);
  }

  render() {
    return html`<p class="trail"><a href="/orders">${icon("back", { mirror: true })}Orders</a></p>
      ${states(this.order, { what: "The order", skeleton: bars(8), ready: (order) => this.detail(order) })}`;
  }

  /** @param {Order} order */
  detail(order) {
    return html`<header class="page-head">
        <div>
          <h1 tabindex="-1"><bdi>${formatMinor(order.totalAmountMinor, order.currency)}</bdi></h1>
          <p class="muted">
            ${badge(order.status, "order")}
            <span class="nowrap">${formatDateTime(order.createdAt, store.timeZone)}</span>
            <span class="mono">${order.id}</span>
          </p>
        </div>
      </header>
      <div class="beside start">
        <div class="stack">${this.course(order)}${this.cards(order)}${items(order)}</div>
        <div class="stack">${customer(order)}${payment(order)}</div>
      </div>`;
  }

  /** @param {Order} order */
  course(order) {
    const problem = this.events.problem ?? this.settlements.problem;
    const isLoading = this.events.loading || this.settlements.loading;
    return html`<section class="panel" aria-busy=${isLoading ? "true" : "false"}>
      <header><h2>What happened</h2></header>
      ${timeline(order, this.events.data ?? [], this.settlements.data ?? [])}
      ${problem ? this.incomplete(problem) : nothing}
      ${this.isCutOff ? html`<p class="none muted">Earlier redemptions are on the pages of the cards.</p>` : nothing}
    </section>`;
  }

  /** @param {unknown} problem */
  incomplete(problem) {
    const again = async () => {
      await this.events.load();
      await this.settlements.load();
    };
    return html`<p class="none muted">
      Redemptions and settlements could not be loaded. ${explain(problem)}
      <button class="link" type="button" @click=${again}>Load it again</button>
    </p>`;
  }

  /** @param {Order} order */
  cards(order) {
    return html`<section class="panel">
      <header><h2>Gift cards</h2></header>
      ${
        order.giftCards.length === 0
          ? html`<p class="none faint">No card was issued.</p>`
          : html`<ul class="rows">
              ${order.giftCards.map((card) => this.card(card))}
            </ul>`
      }
    </section>`;
  }

  /** @param {Schemas["OrderGiftCard"]} card */
  card(card) {
    const balance = this.balances.get(card.id);
    const address = `/gift-cards?order=${encodeURIComponent(this.params.id ?? "")}&card=${encodeURIComponent(card.id)}`;
    const code = html`<span class="mono">${maskCode(card.qrCode)}</span>`;
    return html`<li>
      <span class="grow">
        ${card.qrCode && may("portal.gift_cards") ? html`<a href=${address}>${code}</a>` : code} ${badge(card.status)}
      </span>
      <span class="amounts">
        <b><bdi>${formatMinor(card.valueMinor, card.currency)}</bdi></b>
        <span class="small muted">${balance ? left(balance) : nothing}</span>
      </span>
    </li>`;
  }
}

/** @param {Resource<Schemas["Balance"]>} balance */
function left(balance) {
  const { data, problem } = balance;
  if (data)
    return data.remainingValueMinor === null
      ? "Balance not known"
      : html`<bdi>${formatMinor(data.remainingValueMinor, data.currency)}</bdi> left`;
  if (problem)
    return html`<span title=${explain(problem)}>Balance not known.</span>
      <button class="link" type="button" @click=${() => balance.load()}>Try again</button>`;
  return html`<span class="skeleton inline" aria-label="Balance is loading" role="img"></span>`;
}

/** @param {Order} order */
function items(order) {
  return html`<section class="panel">
    <header><h2>Items</h2></header>
    <ul class="rows">
      ${order.items.map(
        ({ quantity, offerName, amountMinor, currency }) =>
          html`<li>
            <span class="grow wrap" dir="auto">${quantity > 1 ? `${quantity} × ` : ""}${offerName}</span>
            <b class="num"><bdi>${formatMinor(amountMinor, currency)}</bdi></b>
          </li>`,
      )}
    </ul>
  </section>`;
}

/** @param {Order} order */
function customer(order) {
  return html`<section class="panel">
    <header><h2>Customer</h2></header>
    ${pairs([
      ["Name", order.buyerName],
      ["E-mail", order.buyerEmail],
      ["For", order.recipientName],
      ["Sent to", order.recipientEmail],
      ["Delivery", { EMAIL: "By e-mail", SMS: "By text message", QR: "As a code" }[order.deliveryType]],
    ])}
  </section>`;
}

/** @param {Order} order */
function payment(order) {
  return html`<section class="panel">
    <header>
      <h2>Payment</h2>
      ${badge(order.paymentStatus)}
    </header>
    ${pairs([
      ["Payment", order.paymentTransactionId],
      ["Processor", order.processorTransactionId],
      ["Last change", formatDateTime(order.updatedAt, store.timeZone)],
    ])}
  </section>`;
}

await loadSheet("/desk.css");
customElements.define("order-page", OrderPage);
