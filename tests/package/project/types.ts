// Mistakes that the types have to find. Where they are lost, `any` finds none, and the expectation is an error.

import { createPortalClient, readError } from "@gift-card/portal-api";
import { createMemoryJournal } from "@gift-card/portal-api/journal";
import { createMoneyCalls } from "@gift-card/portal-api/money-call";
import { reliableReads } from "@gift-card/portal-api/reliable-reads";
import type { components, paths } from "@gift-card/portal-api/schema";

const client = createPortalClient({ baseUrl: "https://api.example", fetch: reliableReads({ attempts: 2 }) });
const calls = createMoneyCalls({ client, journal: createMemoryJournal(), merchant: "m-1" });

export async function mistakes(): Promise<void> {
  // @ts-expect-error there is no such path
  await client.GET("/api/bff/merchant-order");
  // @ts-expect-error a page's size is a number
  await client.GET("/api/bff/merchant-orders", { params: { query: { pageSize: "8" } } });
  // @ts-expect-error an option that does not exist
  createPortalClient({ baseUrl: "https://api.example", tokken: "t" });
  // @ts-expect-error an option that does not exist
  reliableReads({ retries: 2 });

  const { data, error } = await client.GET("/api/bff/merchant-orders");
  // @ts-expect-error a time is text
  const time: number | undefined = data?.data.orders[0]?.createdAt;

  const problem = readError(error);
  if (problem?.code === "UNKNOWN_OUTCOME") {
    const reference: string = problem.details.reference;
    // @ts-expect-error details are not `any`
    const outcome: "known" = problem.details.outcome;
    void [reference, outcome];
  }
  // @ts-expect-error there is no such code
  if (problem?.code === "UNKNOWN_OUTCOMES") return;

  // @ts-expect-error the code of the card is missing
  const attempt = calls.redeem({ redeemAmount: 1, purchaseAmount: 1 });
  const outcome = await attempt.outcome;
  // @ts-expect-error there is no such outcome
  if (outcome.kind === "paid") return;
  if (outcome.kind === "done") {
    // @ts-expect-error a redemption has no order
    const order: string | undefined = outcome.result?.orderId;
    void order;
  }
  // @ts-expect-error a path is text
  const path: number = "" as keyof paths;
  // @ts-expect-error a schema is not `any`
  const order: number = {} as components["schemas"]["OrderSummary"];
  void [time, path, order];
}
