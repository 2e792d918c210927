// Redeems 125.50 of a card, and knows what to say whatever happens.

import { openIndexedDbJournal } from "../indexed-db-journal.js";
import { createPortalClient } from "../index.js";
import { createMoneyCalls, type Outcome } from "../money-call.js";

const client = createPortalClient({ baseUrl: "https://api.example", token: "the till's token" });
const calls = createMoneyCalls({ client, journal: await openIndexedDbJournal(), merchant: "the merchant's id", till: "the till's id" });

/** What became of calls that a reload or a crash has left open. None of them is sent. */
export async function resolveOpenCalls(show: (text: string) => void): Promise<void> {
  for (const { key, outcome } of await calls.entries()) {
    if (!outcome) void calls.resolveUnknown(key).outcome.then((known) => known && show(textOf(known)));
  }
}

/** `onLeave` is called with what to do when the cashier leaves the screen before the outcome is known. */
export async function redeem(qrCode: string, onLeave: (turnAway: () => void) => void): Promise<string> {
  const { data: card } = await client.GET("/api/bff/pos/card/{qrcode}", { params: { path: { qrcode: qrCode } } });
  if (!card) return "No such card. Scan it again.";

  const attempt = calls.redeem({ qrCode, redeemAmount: 125.5, purchaseAmount: 125.5 });
  onLeave(attempt.turnAway);
  const outcome = await attempt.outcome;
  if (outcome.kind !== "unknown") return textOf(outcome);
  const known = await attempt.resolveUnknown().outcome;
  return textOf(known ?? outcome);
}

function textOf(outcome: Outcome): string {
  switch (outcome.kind) {
    case "done":
      return "It went through.";
    case "refused":
      return `Nothing was taken off the card. ${outcome.error.message}`;
    case "closed":
      return "It was closed. Nothing was taken off the card.";
    case "notSent":
      return outcome.reason === "busy" ? "An earlier amount is not known yet." : "Nothing was sent.";
    case "byHand":
      return `Checked: ${outcome.sentence}`;
    case "unknown":
      return "Not known. Do not redeem it again.";
  }
}
