// What a till lives through on a bad day, in any runtime. Each part throws if the till says or does anything wrong.

import type { Outcome } from "@gift-card/portal-api/money-call";

interface Till {
  resume(): Promise<void>;
  balance(qrCode: string): Promise<string>;
  redeem(qrCode: string, amount: string): { outcome: Promise<Outcome>; turnAway: () => void };
  sell(amount: string): { outcome: Promise<Outcome>; turnAway: () => void };
}

/** The till crashes at the end of the morning, while nobody knows what became of its last redemption. */
export async function morning(till: Till): Promise<void> {
  expect("a look-up that failed at first", await till.balance("QR-1"), "500 SEK");

  const late = await till.redeem("QR-1", "100.00").outcome;
  expect("a redemption whose first answer is lost", late.kind === "done" && late.replayed, true);

  const refused = await till.redeem("QR-1", "1000.00").outcome;
  const said = refused.kind === "refused" && [refused.code, refused.sentence];
  expect("a refusal of the card network", said, ["INSUFFICIENT_FUNDS", "There is less on the card."]);

  void till.redeem("QR-1", "13");
  const again = await till.redeem("QR-1", "13").outcome;
  expect("a card with an open call", again.kind === "notSent" && again.reason, "busy");
  await new Promise((resolve) => setTimeout(resolve, 500));
}

export async function afternoon(till: Till, baseUrl: string): Promise<void> {
  await till.resume();
  const sold = await till.sell("250.00").outcome;
  expect("a sale", sold.kind === "done" && sold.result !== null && "orderId" in sold.result, true);

  const books = (await (await fetch(`${baseUrl}/books`)).json()) as Record<string, unknown[]>;
  expect("what was redeemed", books["redeemed"], [100]);
  expect("what was sold", books["issued"], ["250.00"]);
  expect("what was closed", books["closed"]?.length, 1);
  expect("whose writes they were", [...new Set(books["expectedMerchants"])], ["m-1"]);
}

function expect(what: string, actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) {
    throw new Error(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
  }
}
