// Which pages there are for whom, and the first one.

import { isApplying, isWaiting, may, store } from "./store.js";

/**
 * @typedef {object} Entry
 * @property {string} path
 * @property {string} word
 * @property {import("./icons.js").IconName} icon
 */

/** The menu in groups. What somebody may not see is not there. @returns {{name: string, entries: Entry[]}[]} */
export function menu() {
  const session = store.session;
  if (!session) return [];
  const applying = isApplying() || isWaiting();
  /** @type {[string, [boolean | undefined, string, string, import("./icons.js").IconName][]][]} */
  const groups = [
    [
      "",
      [
        [applying, "/application", "Application", "application"],
        [!applying && may("portal.analytics"), "/overview", "Overview", "overview"],
        [!applying && may("portal.orders"), "/orders", "Orders", "orders"],
        [!applying && may("portal.gift_cards"), "/gift-cards", "Gift cards", "cards"],
        [!applying && may("portal.gift_cards"), "/offers", "Offers", "offers"],
      ],
    ],
    [
      "Money",
      [
        [!applying && may("portal.reports"), "/payouts", "Payouts", "payouts"],
        [!applying && may("portal.analytics"), "/reports", "Reports", "reports"],
      ],
    ],
    [
      "Business",
      [
        [!applying && may("portal.organization"), "/stores", "Stores and tills", "stores"],
        [session.merchant !== null && (session.role !== null || may("merchant.team.invite")), "/team", "Team", "team"],
        [
          !applying && (may("portal.organization") || may("merchant.team.invite")),
          "/developers",
          "Developers",
          "webhooks",
        ],
        [may("portal.information"), "/business", "Business details", "business"],
      ],
    ],
    [
      "Platform",
      [
        [session.user?.isAdmin, "/merchants", "Merchants", "business"],
        [session.user?.isAdmin, "/payouts-due", "Payouts due", "payouts"],
      ],
    ],
  ];
  return groups
    .map(([name, entries]) => ({
      name,
      entries: entries.filter(([shown]) => shown).map(([, path, word, icon]) => ({ path, word, icon })),
    }))
    .filter((group) => group.entries.length > 0);
}

/** The page that somebody sees first. */
export function firstPage() {
  const session = store.session;
  if (!session) return "/";
  if (session.user?.isAdmin && !session.merchant) return "/merchants";
  if (!session.merchant) return "/start";
  return menu()[0]?.entries[0]?.path ?? "/start";
}
