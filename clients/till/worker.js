// The till's service worker: a reload without a connection, such as in the middle of a sale, still opens the till. It keeps the
// till's own files and nothing else: requests to the API, on another origin, pass it by.

/** Another name drops the files that were kept under the earlier one. */
const CACHE = "till-1";
/** Milliseconds without an answer: the network is there, but leads nowhere. */
const TIMEOUT = 4000;
const FILES = [
  "/",
  "/till.css",
  "/later.css",
  "/apple-touch-icon.png",
  "/icon.svg",
  "/config.js",
  "/app.js",
  "/later.js",
  "/till.js",
  "/cards/card-face.js",
  "/cards/card.js",
  "/cards/look-ups.js",
  "/cards/store-credit.js",
  "/give-back/give-back-view.js",
  "/give-back/reason-step.js",
  "/give-back/redemption.js",
  "/journal/balance-now.js",
  "/journal/entry-money.js",
  "/journal/known-outcome.js",
  "/journal/outcome-view.js",
  "/journal/today-view.js",
  "/journal/unknown-outcome.js",
  "/languages/da-later.ftl",
  "/languages/da.ftl",
  "/languages/de-later.ftl",
  "/languages/de.ftl",
  "/languages/en-later.ftl",
  "/languages/en.ftl",
  "/languages/es-later.ftl",
  "/languages/es.ftl",
  "/languages/fi-later.ftl",
  "/languages/fi.ftl",
  "/languages/fr-later.ftl",
  "/languages/fr.ftl",
  "/languages/ja-later.ftl",
  "/languages/ja.ftl",
  "/languages/nb-later.ftl",
  "/languages/nb.ftl",
  "/languages/nl-later.ftl",
  "/languages/nl.ftl",
  "/languages/sv-later.ftl",
  "/languages/sv.ftl",
  "/manifests/da.webmanifest",
  "/manifests/de.webmanifest",
  "/manifests/en.webmanifest",
  "/manifests/es.webmanifest",
  "/manifests/fi.webmanifest",
  "/manifests/fr.webmanifest",
  "/manifests/ja.webmanifest",
  "/manifests/nb.webmanifest",
  "/manifests/nl.webmanifest",
  "/manifests/sv.webmanifest",
  "/paper/print.css",
  "/paper/qr-code.js",
  "/paper/receipt.js",
  "/paper/ticket.js",
  "/redeem/card-history.js",
  "/redeem/redeem-step.js",
  "/redeem/redeem-view.js",
  "/scanner/camera.js",
  "/scanner/key-places.js",
  "/scanner/key-reader.js",
  "/scanner/scan-offer.js",
  "/scanner/scan-recogniser.js",
  "/sell/delivery.js",
  "/sell/offer-list.js",
  "/sell/offer-prices.js",
  "/sell/sell-view.js",
  "/sell/sold-card-view.js",
  "/shell/amount-entry.js",
  "/shell/attempt.js",
  "/shell/countdown.js",
  "/shell/formats.js",
  "/shell/frame-parts.js",
  "/shell/keypad.js",
  "/shell/language-menu.js",
  "/shell/language.js",
  "/shell/offline.js",
  "/shell/pairing-view.js",
  "/shell/presence.js",
  "/shell/storage.js",
  "/shell/text.js",
  "/shell/view.js",
  "/shell/words.js",
  "/kit/badge.js",
  "/kit/brand.js",
  "/kit/card-codes.js",
  "/kit/css-variables.js",
  "/kit/decimals.js",
  "/kit/money.js",
  "/kit/once.js",
  "/kit/theme.js",
  "/kit/tokens.css",
  "/kit/controls.css",
  "/kit/vendor/fluent.js",
  "/kit/vendor/lit.js",
  "/kit/vendor/qr.js",
  "/portal-api/answer.js",
  "/portal-api/errors.js",
  "/portal-api/index.js",
  "/portal-api/indexed-db-journal.js",
  "/portal-api/journal.js",
  "/portal-api/money-call.js",
  "/portal-api/sleep.js",
  "/portal-api/vendor/openapi-fetch.js",
];

/** Pages that were opened from the cache. So are all of their files: these fit together, and nobody waits for the network again.
 * @type {Set<string>} */
const openedFromCache = new Set();

/** @type {import("./worker-types.d.ts").WorkerScope} */
const worker = /** @type {any} */ (self);

worker.addEventListener("install", (event) => {
  void worker.skipWaiting();
  event.waitUntil(keepFiles());
});
worker.addEventListener("activate", (event) => event.waitUntil(dropOtherCaches()));
// A page has started with a connection: keep what it runs now.
worker.addEventListener("message", (event) => event.waitUntil(keepFiles()));
worker.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && new URL(url).origin === location.origin) event.respondWith(respond(event));
});

/** The network first: an online till runs what the server has.
 * @param {import("./worker-types.d.ts").WorkerFetchEvent} event
 * @returns {Promise<Response>} */
async function respond({ request, clientId, resultingClientId }) {
  // All of the till's paths are one page.
  const kept = await caches.match(request.mode === "navigate" ? "/" : request, { cacheName: CACHE });
  if (!kept) return fetch(request);
  if (!openedFromCache.has(clientId)) {
    const response = await Promise.race([fetch(request), timeout()]).catch(() => null);
    if (response && response.status < 500) return response;
  }
  if (resultingClientId) openedFromCache.add(resultingClientId);
  return kept;
}

/** All of them or none. The server is asked which have changed. */
async function keepFiles() {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES.map((path) => new Request(path, { cache: "no-cache" })));
}

async function dropOtherCaches() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
}

/** @returns {Promise<null>} */
function timeout() {
  return new Promise((resolve) => setTimeout(() => resolve(null), TIMEOUT));
}
