// What is known about who is signed in. Filled before the first page; pages read it.

import { setOwnCurrency } from "/kit/money.js";
import { api, call, Problem } from "./api.js";

/** @typedef {import("/portal-api/index.js").Schemas} Schemas */
/** @typedef {Schemas["Session"]} Session */
/** @typedef {"portal.information" | "portal.organization" | "portal.gift_cards" | "portal.orders" | "portal.pos"} PortalPermission */
/** @typedef {PortalPermission | "portal.analytics" | "portal.reports" | "merchant.team.invite"} Permission */

export const store = {
  /** @type {Session | null} */
  session: null,
  /** Of the merchant; the browser's where there is none. @type {string | undefined} */
  timeZone: undefined,
  currency: "EUR",
};

/** Loads the session; without one, `store.session` stays null. */
export async function loadSession() {
  try {
    const answer = await call(() => api.GET("/api/auth/session"), { signIn: false });
    setSession(answer.data);
  } catch (problem) {
    if (!(problem instanceof Problem) || problem.status !== 401) throw problem;
    store.session = null;
  }
}

/** @param {Session} session */
export function setSession(session) {
  store.session = session;
  store.timeZone = session.merchant?.timeZone;
  store.currency = session.merchant?.currency ?? "EUR";
  setOwnCurrency(session.merchant?.currency ?? undefined);
}

/**
 * Whether pages of this permission are shown.
 * @param {Permission} permission
 */
export function may(permission) {
  return store.session !== null && store.session.merchant !== null && store.session.permissions.includes(permission);
}

/**
 * Whether actions of this permission are offered. A viewer reads only.
 * @param {Permission} permission
 */
export function mayChange(permission) {
  return may(permission) && store.session?.role !== "VIEWER";
}

/** Whether the business has ended, or never began: it will not sell again. */
export function isClosed() {
  const status = store.session?.merchant?.status;
  return status === "INACTIVE" || status === "DECLINED";
}

/** Whether the merchant may not sell, for now or for ever. */
export function isStopped() {
  return isClosed() || store.session?.merchant?.status === "SUSPENDED";
}

/**
 * Whether what is sold, and where, can be changed.
 * @param {Permission} permission
 */
export function mayEquip(permission) {
  return mayChange(permission) && !isClosed();
}

/** Whether the merchant's application can be filled in. */
export function isApplying() {
  const status = store.session?.merchant?.status;
  return status === "DRAFT" || status === "WAITING_FOR_INFO";
}

/** Whether the merchant's application waits for a decision. */
export function isWaiting(merchant = store.session?.merchant) {
  const status = merchant?.status;
  return status === "SUBMITTED" || status === "KYB_IN_PROGRESS" || status === "DECISION_PENDING";
}
