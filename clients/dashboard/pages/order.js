// An order: amount, cards with their balances, items, payment and settlement.

import { html, nothing } from "/kit/vendor/lit.js";
import { badge } from "/kit/badge.js";
import { formatMinor } from "/kit/money.js";
import { formatDateTime } from "/kit/time.js";
import { api, call, explain } from "../api.js";
import { icon } from "../icons.js";
import { Page, Resource } from "../page.js";
import { maskCode } from "../card-code.js";
import { bars, states } from "../parts.js";
import { may, store } from "../store.js";

/** @typedef {import("../store.js").Schemas} Schemas */

class OrderPage extends Page {
  order = new Resource(
    this,
    async () =>
      (
        await call(() =>
          api.GET("/api/bff/merchant-orders/{orderId}", { params: { path: { orderId: this.params.id ?? "" } } }),
        )
      ).data,
  );
  settlement = new Resource(
    this,
    async () =>
      (
        await call(() =>
          api.GET("/api/bff/settlements/by-source", { params: { query: { orderId: this.params.id ?? "" } } }),
        )
      ).settlement,
  );
  /** One for each card: the card network answers for each by itself. @type {Map<string, Resource<Schemas["Balance"]>>} */
  balances = new Map();

  async arrive() {
    if (may("portal.reports")) this.settlement.load();
    await this.order.load();
    const orderId = this.params.id ?? "";
    for (const { id: giftCardId, qrCode } of this.order.data?.giftCards ?? []) {
      if (!qrCode) continue;
      const balance = new Resource(
        this,
        async () =>
          (
            await call(() =>
              api.GET("/api/bff/merchant-orders/{orderId}/gift-cards/{giftCardId}/balance", {
                params: { path: { orderId, giftCardId } },
              }),
            )
          ).data,
      );
      this.balances.set(giftCardId, balance);
      balance.load();
    }
  }

  render() {
    return html`<p class="trail"><a href="/orders">${icon("back", { mirror: true })}Orders</a></p>
      ${states(this.order, { what: "The order", skeleton: bars(8), ready: (order) => this.detail(order) })}`;
  }

  /** @param {NonNullable<OrderPage["order"]["data"]>} order */
  detail(order) {
    return html`<header class="page-head">
        <div>
          <h1 tabindex="-1"><bdi>${formatMinor(order.totalAmountMinor, order.currency)}</bdi></h1>
          <p class="muted">
            ${badge(order.status, "order")}
            <span class="nowrap">${formatDateTime(order.createdAt, store.timeZone)}</span> ·
            <span class="mono">${order.id}</span>
          </p>
        </div>
      </header>
      <div class="beside start">
        <div class="stack">
          <section class="panel">
            <header><h2>Gift cards</h2></header>
            ${
              order.giftCards.length === 0
                ? html`<p class="none faint">No card was issued.</p>`
                : html`<ul class="rows">
                    ${order.giftCards.map((card) => this.card(card))}
                  </ul>`
            }
          </section>
          <section class="panel">
            <header><h2>Items</h2></header>
            <ul class="rows">
              ${order.items.map(
                (item) =>
                  html`<li>
                    <span class="grow wrap" dir="auto"
                      >${item.quantity > 1 ? `${item.quantity} × ` : ""}${item.offerName}</span
                    ><b class="num"><bdi>${formatMinor(item.amountMinor, item.currency)}</bdi></b>
                  </li>`,
              )}
            </ul>
          </section>
        </div>
        <div class="stack">
          <section class="panel">
            <header><h2>Customer</h2></header>
            ${pairs([
              ["Name", order.buyerName],
              ["E-mail", order.buyerEmail],
              ["For", order.recipientName],
              ["Sent to", order.recipientEmail],
              ["Delivery", { EMAIL: "By e-mail", SMS: "By text message", QR: "As a code" }[order.deliveryType]],
            ])}
          </section>
          <section class="panel">
            <header>
              <h2>Payment</h2>
              ${badge(order.paymentStatus)}
            </header>
            ${pairs([
              ["Payment", order.paymentTransactionId],
              ["Processor", order.processorTransactionId],
              ["Last change", formatDateTime(order.updatedAt, store.timeZone)],
            ])}
          </section>
          ${
            may("portal.reports")
              ? html`<section class="panel">
                  <header><h2>Settlement</h2></header>
                  <div class="inset">
                    ${states(this.settlement, {
                      what: "The settlement",
                      rows: 1,
                      ready: (settlement) =>
                        settlement === null
                          ? html`<p class="faint">None for this order</p>`
                          : html`<p class="line">
                              ${badge(settlement.status, "settlement")}<b class="num"
                                ><bdi>${formatMinor(settlement.netAmountMinor, settlement.currency)}</bdi></b
                              >
                            </p>`,
                    })}
                  </div>
                </section>`
              : nothing
          }
        </div>
      </div>`;
  }

  /** @param {Schemas["OrderGiftCard"]} card */
  card(card) {
    const balance = this.balances.get(card.id);
    return html`<li>
      <span class="grow"><span class="mono">${maskCode(card.qrCode)}</span> ${badge(card.status)}</span>
      <span class="amounts"
        ><b><bdi>${formatMinor(card.valueMinor, card.currency)}</bdi></b
        ><span class="small muted">${this.left(balance)}</span></span
      >
    </li>`;
  }

  /** @param {Resource<Schemas["Balance"]> | undefined} balance */
  left(balance) {
    if (!balance) return nothing;
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
}

/** @param {[string, string | null | undefined][]} list */
function pairs(list) {
  return html`<dl class="pairs inset">
    ${list
      .filter(([, value]) => value)
      .map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd class="wrap" dir="auto">${value}</dd>
          </div>`,
      )}
  </dl>`;
}

customElements.define("order-page", OrderPage);
