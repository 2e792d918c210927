// Webhooks in words: what an endpoint is told, why nothing is sent to it, and what became of a delivery.

import { toneBadge } from "/kit/badge.js";
import { formatCount } from "../shell/parts.js";
import { may, store } from "../shell/store.js";

/** @typedef {import("../shell/store.js").Schemas} Schemas */
/** @typedef {Schemas["EventType"]} EventType */
/** @typedef {Schemas["WebhookEndpoint"]} Endpoint */
/** @typedef {Schemas["WebhookDelivery"]} Delivery */
/** @typedef {Schemas["WebhookAttempt"]} Attempt */
/** @typedef {Schemas["DeliveryStatus"]} DeliveryStatus */

/**
 * Each event, what a member has to see to have it sent, what has happened, and its word in a list.
 * @type {readonly {type: EventType, permission: import("../shell/store.js").Permission, sentence: string, noun: string}[]}
 */
export const EVENTS = [
  {
    type: "gift_card.issued",
    permission: "portal.orders",
    sentence: "A gift card was sold at a till",
    noun: "sold cards",
  },
  {
    type: "gift_card.redeemed",
    permission: "portal.analytics",
    sentence: "A gift card was redeemed",
    noun: "redemptions",
  },
  {
    type: "operation.unknown",
    permission: "portal.pos",
    sentence: "It is not known whether a sale or redemption went through",
    noun: "unknown outcomes",
  },
  {
    type: "operation.resolved",
    permission: "portal.pos",
    sentence: "It became known whether a sale or redemption went through",
    noun: "outcomes that became known",
  },
  {
    type: "settlement.created",
    permission: "portal.reports",
    sentence: "A settlement was created",
    noun: "new settlements",
  },
  {
    type: "settlement.held",
    permission: "portal.reports",
    sentence: "A settlement was held back",
    noun: "settlements held back",
  },
  { type: "payout.paid", permission: "portal.reports", sentence: "A payout was paid", noun: "payouts" },
  {
    type: "merchant.status_changed",
    permission: "portal.information",
    sentence: "The status of your business changed",
    noun: "changes of your status",
  },
];

const EVENT_BY_TYPE = new Map(EVENTS.map((event) => [event.type, event]));

/** What has happened; the name of an event that is not known here. @param {EventType} type */
export const eventSentence = (type) => EVENT_BY_TYPE.get(type)?.sentence ?? type;

/** @param {readonly EventType[]} types */
export function eventList(types) {
  if (EVENTS.every(({ type }) => types.includes(type))) return "Everything";
  const text = types.map((type) => EVENT_BY_TYPE.get(type)?.noun ?? type).join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Whether who is signed in sees what these events tell. @param {readonly EventType[]} types */
export function seesEvents(types) {
  if (store.session?.user?.isAdmin) return true;
  return types.every((type) => {
    const permission = EVENT_BY_TYPE.get(type)?.permission;
    return permission !== undefined && may(permission);
  });
}

/** The host of an endpoint, with its port unless it is the usual one. @param {{url: string}} endpoint */
export function hostOf({ url }) {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

/** @param {Endpoint} endpoint */
export const isEnabled = ({ status }) => status === "ENABLED";

/** @param {Endpoint} endpoint */
export function endpointBadge(endpoint) {
  if (isEnabled(endpoint)) return toneBadge("ok", "Enabled");
  return endpoint.disabledBecause === "MEMBER" ? toneBadge("neutral", "Disabled") : toneBadge("bad", "Disabled");
}

/** Why nothing is sent to an endpoint. @param {Endpoint} endpoint */
export function disabledReason({ disabledBecause }) {
  switch (disabledBecause) {
    case "MEMBER":
      return "Your team disabled it.";
    case "GONE":
      return "It answered that it wants no more messages.";
    case "FAILING":
      return "It accepted nothing for five days.";
    default:
      return "It is disabled.";
  }
}

/** @type {readonly (readonly [DeliveryStatus, string])[]} */
export const STATUSES = [
  ["PENDING", "On the way"],
  ["DELIVERED", "Accepted"],
  ["FAILED", "Given up"],
];

/** @param {Delivery} delivery */
export function deliveryBadge({ status, attempts }) {
  if (status === "DELIVERED") return toneBadge("ok", "Accepted");
  if (status === "FAILED") return toneBadge("bad", "Given up");
  return attempts.length > 0 ? toneBadge("warn", "Not accepted yet") : toneBadge("info", "On the way");
}

/** @param {Attempt} attempt */
export function attemptOutcome({ status, error, milliseconds }) {
  if (error === null) return `Accepted: it answered ${status} after ${duration(milliseconds)}`;
  if (error === "withheld") return "Not sent: the person who changed the address may not see this message";
  if (status === null) return `Not accepted: ${error}`;
  const answer = `Not accepted: it answered ${status} after ${duration(milliseconds)}`;
  return error === `status ${status}` ? answer : `${answer}; ${error}`;
}

/** @param {number} milliseconds */
function duration(milliseconds) {
  return milliseconds < 1000 ? `${milliseconds} ms` : `${formatCount(Math.round(milliseconds / 100) / 10)} s`;
}

/** With seconds: the first attempts are a few seconds apart. @param {string} timestamp */
export function formatSecond(timestamp) {
  const options = /** @type {const} */ ({ dateStyle: "medium", timeStyle: "medium" });
  try {
    return new Intl.DateTimeFormat(undefined, { ...options, timeZone: store.timeZone }).format(new Date(timestamp));
  } catch {
    return new Intl.DateTimeFormat(undefined, options).format(new Date(timestamp)); // a zone that this browser does not know
  }
}
