// Calls about webhooks: endpoints, their deliveries, and what becomes of one that is being sent.

import { api, call } from "../shell/api.js";
import { change } from "../shell/change.js";

/** @typedef {import("./webhook-words.js").Delivery} Delivery */
/** @typedef {import("./webhook-words.js").DeliveryStatus} DeliveryStatus */
/** @typedef {import("../shell/store.js").Schemas["WebhookDeliveryPage"]} DeliveryPage */

const LONGEST_PAGE = 100;
const LOOK_FOR_MS = 15_000;
const FIRST_LOOK_MS = 500;
const LOOK_EVERY_MS = 1500;

export async function loadEndpoints() {
  return (await call(() => api.GET("/api/bff/webhooks"))).data;
}

/**
 * @param {string} id
 * @param {{status?: DeliveryStatus | undefined, cursor?: string | undefined, limit: number}} page
 * @returns {Promise<DeliveryPage>}
 */
export async function loadDeliveries(id, { status, cursor, limit }) {
  const query = { limit: Math.min(limit, LONGEST_PAGE), ...(status && { status }), ...(cursor && { cursor }) };
  const path = { id };
  return (await call(() => api.GET("/api/bff/webhooks/{id}/deliveries", { params: { path, query } }))).data;
}

/** @param {string} id @param {import("../shell/store.js").Schemas["WebhookEndpointChange"]} body */
export async function changeEndpoint(id, body) {
  return (await change(() => api.PATCH("/api/bff/webhooks/{id}", { params: { path: { id } }, body }))).data;
}

/**
 * Waits for the next attempt of a delivery. Undefined if there is none within a quarter of a minute.
 * @param {string} endpointId
 * @param {string} deliveryId
 * @param {{isAwaited?: () => boolean, lastAttempt?: string | undefined}} [options] `lastAttempt`: when it was attempted before
 */
export async function whenAttempted(endpointId, deliveryId, { isAwaited = () => true, lastAttempt } = {}) {
  const end = Date.now() + LOOK_FOR_MS;
  for (let pause = FIRST_LOOK_MS; Date.now() < end; pause = LOOK_EVERY_MS) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (!isAwaited()) return undefined;
    const delivery = await findDelivery(endpointId, deliveryId).catch(() => undefined); // it was sent: the next look may tell
    const latest = delivery?.attempts.at(-1);
    if (latest && latest.at !== lastAttempt) return delivery;
  }
  return undefined;
}

/** @param {string} endpointId @param {string} deliveryId @returns {Promise<Delivery | undefined>} */
async function findDelivery(endpointId, deliveryId) {
  let cursor;
  do {
    /** @type {DeliveryPage} */
    const page = await loadDeliveries(endpointId, { cursor, limit: LONGEST_PAGE });
    const found = page.deliveries.find(({ id }) => id === deliveryId);
    if (found) return found;
    cursor = page.next ?? undefined;
  } while (cursor);
  return undefined;
}
