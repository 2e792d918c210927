// Prints each order of a merchant's tills: a webhook tells that there is one, and a key reads it.
//
//   PORTAL=https://portal.example.com PORTAL_KEY=gcpk_… WEBHOOK_SECRET=whsec_… npx tsx follow-orders.ts

import { env } from "node:process";
import { createPortalClient } from "@gift-card/portal-api";
import { reliableReads } from "@gift-card/portal-api/reliable-reads";
import { createReceiver } from "./webhook-receiver.js";

const { PORTAL, PORTAL_KEY, WEBHOOK_SECRET, PORT = "3000" } = env;
if (!PORTAL || !PORTAL_KEY || !WEBHOOK_SECRET) throw new Error("Set PORTAL, PORTAL_KEY and WEBHOOK_SECRET.");
const client = createPortalClient({ baseUrl: PORTAL, key: PORTAL_KEY, fetch: reliableReads() });

const receiver = await createReceiver({
  folder: "inbox",
  secrets: WEBHOOK_SECRET.split(" "),
  async handle(message) {
    if (message.type !== "gift_card.issued" || message.test) return;
    const params = { path: { orderId: message.data.orderId } };
    const { data, response } = await client.GET("/api/bff/merchant-orders/{orderId}", { params });
    // It is tried again later.
    if (!data) throw new Error(`The order could not be read: ${response.status}`);
    console.log(JSON.stringify(data.data));
  },
});
receiver.listen(Number(PORT));
