// What the first screen does not need. It is loaded at once after the first paint, so that all of it is here before a
// connection can fail.

import "./give-back-view.js";
import "./outcome-view.js";
import "./pairing-view.js";
import "./sell-view.js";
import "./sold-card-view.js";
import "./today-view.js";

await Promise.all([stylesheet("/later.css"), stylesheet("/print.css")]);

export { createPortalClient } from "/portal-api/index.js";
export { attempt, isAborted } from "./attempt.js";
export { formatMinor, fromMinor } from "/kit/money.js";
export { openIndexedDbJournal } from "/portal-api/indexed-db-journal.js";
export { createMoneyCalls } from "/portal-api/money-call.js";
export { countdown } from "./countdown.js";
export { deliveryNote } from "./delivery.js";
export { aboutDialog, callOnItsWay, noJournalNotice, notice, revokedNotice } from "./frame-parts.js";
export { KeyReader } from "./key-reader.js";
export { newEntry } from "./keypad.js";
export { findCard, lookAgain } from "./look-ups.js";
export { keepForOffline } from "./offline.js";
export { restOf } from "./outcome-view.js";
export { holdScreen, signalOutcome } from "./presence.js";
export { redeemStep } from "./redeem-step.js";
export { scanOffer } from "./scan-offer.js";
export { cardFailureText, NOT_SENT, retryTime } from "./words.js";

/**
 * Resolves once it applies, or cannot be loaded: a till without its looks still works.
 *
 * @param {string} href
 */
function stylesheet(href) {
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
  document.head.append(link);
  return new Promise((resolve) => ["load", "error"].forEach((name) => link.addEventListener(name, resolve)));
}
