// The pages and their addresses.

/** Path, element, module, title. A part of a path in braces becomes a parameter. */
const PAGES = /** @type {const} */ ([
  ["/overview", "overview-page", () => import("./overview/overview.js"), "Overview"],
  ["/orders", "orders-page", () => import("./orders/orders.js"), "Orders"],
  ["/orders/{id}", "order-page", () => import("./orders/order.js"), "Order"],
  ["/gift-cards", "cards-page", () => import("./cards/cards.js"), "Gift cards"],
  ["/offers", "offers-page", () => import("./offers/offers.js"), "Offers"],
  ["/offers/{id}", "offer-page", () => import("./offers/offer.js"), "Offer"],
  ["/payouts", "payouts-page", () => import("./payouts/payouts.js"), "Payouts"],
  ["/payouts/{id}", "payout-page", () => import("./payouts/payout.js"), "Payout"],
  ["/reports", "reports-page", () => import("./reports/reports.js"), "Reports"],
  ["/stores", "stores-page", () => import("./stores/stores.js"), "Stores and tills"],
  ["/developers", "developers-page", () => import("./developers/developers.js"), "Developers"],
  ["/webhooks/{id}", "webhook-page", () => import("./developers/webhook.js"), "Endpoint"],
  ["/team", "team-page", () => import("./team/team.js"), "Team"],
  ["/business", "business-page", () => import("./business/business.js"), "Business details"],
  ["/application", "application-page", () => import("./business/application.js"), "Application"],
  ["/account", "account-page", () => import("./account/account.js"), "Your account"],
  ["/start", "start-page", () => import("./business/start.js"), "Welcome"],
  ["/invite", "start-page", () => import("./business/start.js"), "Invitation"],
  ["/merchants", "merchants-page", () => import("./platform/merchants.js"), "Merchants"],
  ["/merchants/{id}", "merchant-page", () => import("./platform/merchant.js"), "Merchant"],
  ["/payouts-due", "payouts-due-page", () => import("./platform/payouts-due.js"), "Payouts due"],
  ["/payouts-due/run", "payout-run-page", () => import("./platform/payout-run.js"), "Payout run"],
  ["/payouts-due/{id}", "payout-due-page", () => import("./platform/payout-due.js"), "Payout"],
]);

/**
 * The page of a path; null where there is none.
 * @param {string} path
 * @returns {{tag: string, load: () => Promise<unknown>, title: string, params: Record<string, string>} | null}
 */
export function find(path) {
  for (const [pattern, tag, load, title] of PAGES) {
    const params = match(pattern, path);
    if (params) return { tag, load, title, params };
  }
  return null;
}

/** @param {string} pattern @param {string} path @returns {Record<string, string> | null} */
function match(pattern, path) {
  const names = pattern.split("/");
  const parts = path.replace(/\/$/, "").split("/");
  if (names.length !== parts.length) return null;
  /** @type {Record<string, string>} */
  const params = {};
  for (const [i, name] of names.entries()) {
    const part = decoded(parts[i] ?? "");
    if (part && name.startsWith("{")) params[name.slice(1, -1)] = part;
    else if (part !== name) return null;
  }
  return params;
}

/** Null where it is malformed. @param {string} part */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
