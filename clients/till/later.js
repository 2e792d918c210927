// What the first screen does not need. It is loaded at once after the first paint, so that all of it is here before a
// connection can fail.

import "./outcome-view.js";
import "./pairing-view.js";
import "./sell-view.js";
import "./today-view.js";

export { fromMinor, formatMinor } from "/kit/money.js";
export { openIndexedDbJournal } from "/portal-api/indexed-db-journal.js";
export { createMoneyCalls } from "/portal-api/money-call.js";
export { readCard } from "./card.js";
export { cardFace } from "./card-face.js";
export { countdown } from "./countdown.js";
export { aboutDialog, callOnItsWay, notice } from "./frame-parts.js";
export { keypad, pressKey } from "./keypad.js";
export { keepForOffline } from "./offline.js";
export { cardFailureText, retryTime } from "./words.js";
