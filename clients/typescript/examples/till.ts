// A till without a screen: it pairs, looks cards up, redeems and sells, and knows what to say whatever happens. browser-till.ts and
// node-till.ts use it with a journal each.

import { createPortalClient, readError } from "@gift-card/portal-api";
import type { Journal } from "@gift-card/portal-api/journal";
import { type Attempt, createMoneyCalls, type Outcome } from "@gift-card/portal-api/money-call";
import { reliableReads } from "@gift-card/portal-api/reliable-reads";

/** What the till keeps: the token is a secret. */
export interface Pairing {
  token: string;
  till: string;
  merchant: string;
}

/** Exchanges the code that the dashboard shows under *Stores and tills*, which is good once and for ten minutes. */
export async function pair(baseUrl: string, code: string): Promise<Pairing> {
  const client = createPortalClient({ baseUrl });
  const { data, error, response } = await client.POST("/api/auth/tills/pairing", {
    body: { code },
    credentials: "omit",
  });
  if (!data) throw new Error(readError(error)?.message ?? `Status ${response.status}`);
  const { token, till, merchant } = data.data;
  return { token, till: till.id, merchant: merchant.id };
}

/** `show` is called with a sentence for the cashier whenever there is something new to say. */
export function createTill(baseUrl: string, pairing: Pairing, journal: Journal, show: (text: string) => void) {
  const { token, till, merchant } = pairing;
  const client = createPortalClient({ baseUrl, token, expectedMerchant: merchant, fetch: reliableReads() });
  const calls = createMoneyCalls({ client, journal, merchant, till });

  /** From the press of the button until the outcome is known. The screen stays, and offers `turnAway`. */
  async function follow(attempt: Attempt<"issue"> | Attempt<"redeem">): Promise<Outcome> {
    const outcome: Outcome = await attempt.outcome;
    show(words(outcome));
    if (outcome.kind !== "unknown") return outcome;
    const known = await attempt.resolveUnknown().outcome;
    show(words(known ?? outcome));
    return known ?? outcome;
  }

  return {
    /** Call it at the start: it asks what became of the calls of before. That never moves money. */
    async resume(): Promise<void> {
      const open = (await calls.entries()).filter((entry) => entry.outcome === null);
      for (const { key, note } of open) {
        const outcome = await calls.resolveUnknown(key).outcome;
        if (outcome) show(`${note["card"]}: ${words(outcome)}`);
      }
    },

    /** The value that is left on the card, as the card network writes it. */
    async balance(qrCode: string): Promise<string> {
      const params = { path: { qrcode: qrCode } };
      const { data, error, response } = await client.GET("/api/bff/pos/card/{qrcode}", { params });
      if (data) return `${data.data.valueRemains} ${data.data.currency}`;
      if (response.status === 404) return "No such card. Scan it again.";
      return readError(error)?.message ?? `Status ${response.status}`;
    },

    redeem(qrCode: string, amount: string): { outcome: Promise<Outcome>; turnAway: () => void } {
      const body = { qrCode, redeemAmount: amount, purchaseAmount: amount };
      const attempt = calls.redeem(body, { card: qrCode.slice(-4) });
      return { outcome: follow(attempt), turnAway: attempt.turnAway };
    },

    sell(amount: string): { outcome: Promise<Outcome>; turnAway: () => void } {
      const attempt = calls.issue({ value: amount, deliveryDetails: { deliveryType: "QR" } }, { card: "a new card" });
      return { outcome: follow(attempt), turnAway: attempt.turnAway };
    },

    /** Somebody has looked, in the card's history or on a receipt, and says what was found. */
    resolveByHand: calls.resolveByHand,
  };
}

/** One sentence for each kind of outcome. Only `done` may be called paid, and only `unknown` leaves a doubt. */
export function words(outcome: Outcome): string {
  switch (outcome.kind) {
    case "done":
      return "Done.";
    case "refused":
      return `Nothing was moved. ${outcome.sentence}`;
    case "closed":
      return "It was not carried out, and will not be.";
    case "notSent":
      return outcome.reason === "busy" ? "This card has a call whose outcome is not known yet." : "Nothing was sent.";
    case "byHand":
      return `Checked: ${outcome.sentence}`;
    case "unknown":
      return outcome.retryAfter === null
        ? "It cannot be found out from here. Look into the card's history, and write down what you found."
        : "Not known yet. Do not redeem or sell it again.";
  }
}
