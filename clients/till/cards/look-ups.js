// What the till asks for without moving money: cards, their history, and what can be sold. Each has a time limit.

import { codesOf } from "/kit/card-codes.js";
import { attempt } from "../shell/attempt.js";
import { readCard } from "./card.js";
import { readCredit } from "./store-credit.js";

/** @typedef {import("../till.js").Till} Till */
/** @typedef {import("../till.js").Failure} Failure */
/** @typedef {import("../till.js").Offer} Offer */
/** @typedef {import("./card.js").Card} Card */
/** @typedef {import("/portal-api/index.js").Schemas["CardHistory"]} History */

/** Cards that are sold, and store credit, which is given. @typedef {{offers: Offer[], popular: number | null, credit: Offer[]}} Catalog */

const LIMIT = 8000; // milliseconds
const NOT_FOUND = { status: 404, details: null, retryAfter: null };
const TOO_SLOW = { status: 504, details: null, retryAfter: null };

/**
 * The first card that one of the texts can mean.
 *
 * @param {Till} till
 * @param {string[]} texts how a code was typed or scanned
 * @param {AbortSignal} [signal] cancels it; the failure means nothing then
 * @returns {Promise<{card: Card, failure?: undefined} | {card?: undefined, failure: Failure}>}
 */
export async function findCard(till, texts, signal) {
  // Cards are told from each other by the names of their offers.
  if (till.offerNames.size === 0) void findOffers(till);
  /** @type {Failure} */
  let notFound = NOT_FOUND;
  for (const qrcode of new Set(texts.flatMap(codesOf))) {
    const { data, failure } = await within(signal, (limit) =>
      attempt(till.portal.client.GET("/api/bff/pos/card/{qrcode}", { params: { path: { qrcode } }, signal: limit })),
    );
    if (data) return { card: readCard(data.data, qrcode, till.pairing?.merchant.currency ?? "EUR") };
    if (failure.status !== 404) return { failure };
    notFound = failure;
  }
  return { failure: notFound };
}

/**
 * The card of a call that was refused, as it is now.
 *
 * @param {Till} till
 * @param {string} key of the call
 * @param {string} code
 */
export async function lookAgain(till, key, code) {
  const { card = null } = await findCard(till, [code]);
  till.cardsNow.set(key, card);
  till.dispatchEvent(new Event("change"));
  return card;
}

/**
 * @param {Till} till
 * @returns {Promise<{catalog: Catalog, failure?: undefined} | {catalog?: undefined, failure: Failure}>}
 */
export async function findOffers(till) {
  const { client, public: anyone } = till.portal;
  const slug = till.pairing?.merchant.slug ?? "";
  const [catalogue, own] = await Promise.all([
    within(undefined, (signal) =>
      attempt(anyone.GET("/api/merchants/{slug}/catalog", { params: { path: { slug } }, credentials: "omit", signal })),
    ),
    // The public catalogue has no store credit.
    within(undefined, (signal) => attempt(client.GET("/api/bff/pos/offers", { signal }))),
  ]);
  if (!catalogue.data) return { failure: catalogue.failure };
  const { data: offers, meta } = catalogue.data;
  const sold = own.data?.data.items ?? [];
  for (const { id, name } of [...sold, ...offers]) till.offerNames.set(id, name);
  till.dispatchEvent(new Event("change"));
  return { catalog: { offers, popular: meta.popularAmount ?? null, credit: readCredit(sold) } };
}

/**
 * What this merchant's tills and shop did with a card, latest first.
 *
 * @param {Till} till
 * @param {string} code
 * @param {string | null} after the cursor of the page before
 * @returns {Promise<{history: History, failure?: undefined} | {history?: undefined, failure: Failure}>}
 */
export async function findHistory(till, code, after) {
  const params = { path: { qr: code }, query: { limit: 20, ...(after && { after }) } };
  const { data, failure } = await within(undefined, (signal) =>
    attempt(till.portal.client.GET("/api/bff/cards/{qr}/history", { params, signal })),
  );
  return data ? { history: data.data } : { failure };
}

/**
 * @template T
 * @param {AbortSignal | undefined} signal
 * @param {(signal: AbortSignal) => Promise<{data: T, failure?: undefined} | {data?: undefined, failure: Failure}>} request
 * @returns {Promise<{data: T, failure?: undefined} | {data?: undefined, failure: Failure}>}
 */
async function within(signal, request) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    abort();
  }, LIMIT);
  signal?.addEventListener("abort", abort);
  const answer = await request(controller.signal);
  clearTimeout(timer);
  signal?.removeEventListener("abort", abort);
  return isLate && !answer.data ? { failure: TOO_SLOW } : answer;
}
