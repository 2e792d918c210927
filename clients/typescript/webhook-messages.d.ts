// The messages of webhooks: those of schema.d.ts, and those that are not known yet.

import type { webhooks } from "./schema.js";

export type WebhookType = keyof webhooks;

/** The messages that this version of the package knows. */
export type WebhookMessage = {
  [Type in WebhookType]: NonNullable<webhooks[Type]["post"]["requestBody"]>["content"]["application/json"];
}[WebhookType];

/** Text that is none of the known types. It is an enum since a `switch` tells no other kind of text from known literals. */
declare enum UnknownType {
  other = "any other text",
}

/** A message of a newer API. */
export type UnknownWebhookMessage = Omit<WebhookMessage, "type" | "data"> & {
  type: UnknownType;
  data: Record<string, unknown>;
};

/** What `verifyWebhook` returns. `id` is the same each time that the message is sent. */
export type ReceivedWebhook = (WebhookMessage | UnknownWebhookMessage) & { id: string };

// Without this, the types above that are not exported would be as well.
export {};
