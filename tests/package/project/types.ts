// Mistakes that the types have to find. Where they are lost, `any` finds none, and the expectation is an error.

import type { IncomingHttpHeaders } from "node:http";
import { createPortalClient, readError } from "@gift-card/portal-api";
import { createMemoryJournal } from "@gift-card/portal-api/journal";
import { createMoneyCalls } from "@gift-card/portal-api/money-call";
import { reliableReads } from "@gift-card/portal-api/reliable-reads";
import type { components, paths } from "@gift-card/portal-api/schema";
import { type ReceivedWebhook, verifyWebhook, WebhookError, type WebhookMessage } from "@gift-card/portal-api/webhooks";

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

export async function webhookMistakes(headers: IncomingHttpHeaders, body: Uint8Array): Promise<unknown> {
  const secrets: readonly string[] = ["whsec_"];
  const message = await verifyWebhook(headers, body, secrets, { toleranceSeconds: 10, isHandled: async () => false });
  await verifyWebhook(new Headers(), new ArrayBuffer(1), "whsec_", { isHandled: (id) => id.length === 1 });
  await verifyWebhook([["webhook-id", "msg_1"]], "{}", "whsec_");
  await verifyWebhook(new Map([["webhook-id", "msg_1"]]), "{}", "whsec_");
  // @ts-expect-error a body that was parsed
  await verifyWebhook(headers, { type: "payout.paid" }, "whsec_");
  // @ts-expect-error the secret may be missing
  await verifyWebhook(headers, body, process.env["SECRET"]);
  // @ts-expect-error an option that does not exist
  await verifyWebhook(headers, body, "whsec_", { tolerance: 10 });

  const problem = new WebhookError("SIGNATURE", "");
  // @ts-expect-error there is no such code
  if (problem.code === "SIGNATURES") return;

  // @ts-expect-error not all messages have it
  const order = message.data.orderId;
  // @ts-expect-error a message is not `any`
  const id: number = message.id;
  return [order, id, problem.status, told(message)];
}

/** Each case has the data of its type, and the default what is left. */
function told(message: ReceivedWebhook): unknown {
  switch (message.type) {
    case "gift_card.issued":
      // @ts-expect-error the till may be missing
      void message.data.till.id;
      // @ts-expect-error a till may name no store
      void message.data.store.id.length;
      return [message.data.orderId, message.data.till?.name, message.data.store.name];
    case "gift_card.redeemed": {
      // @ts-expect-error it may be unknown
      const left: number = message.data.remainingValueMinor;
      return [message.data.redemptionId, left];
    }
    case "operation.resolved":
      // @ts-expect-error a sale has no redemption
      if (message.data.kind === "ISSUE") return message.data.redemptionId;
      return [message.data.redemptionId, message.data.status === "SUCCEEDED"];
    case "operation.unknown":
      // @ts-expect-error its status is not known
      return message.data.status;
    case "settlement.created":
    case "settlement.held":
      return message.data.netAmountMinor;
    case "payout.paid":
      return message.data.count;
    case "merchant.status_changed":
      return message.data.to === "ACTIVE";
    // @ts-expect-error there is no such type
    case "gift_card.sung":
      return;
    default: {
      const type: string = message.type;
      // @ts-expect-error a known type is none of those that are left
      const known: WebhookMessage["type"] = message.type;
      const field: string | number | undefined = Object.keys(message.data)[0];
      return [type, known, field, message.timestamp, message.merchantId, message.test];
    }
  }
}
