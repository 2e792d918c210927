// Redeems 125.50 of a card, and knows what to say whatever happens.

import { openIndexedDbJournal } from "../indexed-db-journal.js";
import { createPortalClient } from "../index.js";
import { createMoneyCalls } from "../money-call.js";

const client = createPortalClient({ baseUrl: "https://api.example", token: "the till's token" });
const calls = createMoneyCalls({ client, journal: await openIndexedDbJournal() });

export async function redeem(qrCode: string): Promise<string> {
  const { data: card } = await client.GET("/api/bff/pos/card/{qrcode}", { params: { path: { qrcode: qrCode } } });
  if (!card) return "No such card. Scan it again.";

  const outcome = await calls.redeem({ qrCode, redeemAmount: 125.5, purchaseAmount: 125.5 });
  switch (outcome.kind) {
    case "done":
      return `Redeemed: ${outcome.result.redemptionId}`;
    case "refused":
      return `Nothing was taken off the card. ${outcome.error.message}`;
    case "notSent":
      return "The till is offline. Nothing was sent.";
    case "unknown": {
      const known = await calls.resolveUnknown(outcome.key).outcome;
      if (known?.kind === "done") return "The answer was late, but it went through.";
      return known?.kind === "refused" ? "Nothing was taken off the card." : "Not known. Do not redeem it again.";
    }
  }
}
