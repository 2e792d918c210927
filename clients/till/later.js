// What the first screen does not need. It is loaded at once after the first paint, so that all of it is here before a
// connection can fail.

import "./give-back/give-back-view.js";
import "./journal/outcome-view.js";
import "./shell/pairing-view.js";
import "./sell/sell-view.js";
import "./sell/sold-card-view.js";
import "./journal/today-view.js";

await Promise.all([stylesheet("/later.css"), stylesheet("/paper/print.css")]);

export { createPortalClient } from "/portal-api/index.js";
export { attempt, isAborted } from "./shell/attempt.js";
export { fromMinor } from "/kit/money.js";
export { openIndexedDbJournal } from "/portal-api/indexed-db-journal.js";
export { createMoneyCalls } from "/portal-api/money-call.js";
export { countdown } from "./shell/countdown.js";
export { deliveryNote } from "./sell/delivery.js";
export { aboutDialog, callOnItsWay, noJournalNotice, notice, revokedNotice } from "./shell/frame-parts.js";
export { KeyReader } from "./scanner/key-reader.js";
export { money } from "./shell/formats.js";
export { newEntry } from "./shell/keypad.js";
export { findCard, lookAgain } from "./cards/look-ups.js";
export { keepForOffline } from "./shell/offline.js";
export { restOf } from "./journal/entry-money.js";
export { holdScreen, signalOutcome } from "./shell/presence.js";
export { redeemStep } from "./redeem/redeem-step.js";
export { scanOffer } from "./scanner/scan-offer.js";
export { cardFailureText, NOT_SENT, retryTime } from "./shell/words.js";

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
