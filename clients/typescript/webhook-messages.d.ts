// The messages of webhooks, written by hand like types.d.ts.

import type { components } from "./schema.js";

type Schemas = components["schemas"];

interface Body<Type extends string, Data> {
  type: Type;
  /** When it happened. */
  timestamp: string;
  merchantId: string;
  /** An example that somebody has asked for: nothing has happened. */
  test: boolean;
  data: Data;
}

/** A store or a till. The name is null if it is unknown. */
export interface WebhookPlace {
  id: string;
  name: string | null;
}

/** Amounts are in minor units of the currency. */
export type GiftCardIssued = Body<
  "gift_card.issued",
  {
    orderId: string;
    paymentReference: string;
    /** The last four characters of the card's code. */
    cardRef: string;
    amountMinor: number;
    currency: string;
    /** Null for a card that is of no offer. */
    offerId: string | null;
    offerName: string | null;
    store: WebhookPlace;
    /** Null if no till has sold it. */
    till: WebhookPlace | null;
    /** The redemption that the card gives back. Null for a sale. */
    refundOf: string | null;
  }
>;

export type GiftCardRedeemed = Body<
  "gift_card.redeemed",
  {
    redemptionId: string;
    cardRef: string;
    amountMinor: number;
    currency: string;
    /** What was left on the card. Null if it is unknown. */
    remainingValueMinor: number | null;
    store: WebhookPlace;
    till: WebhookPlace | null;
    /** Null if the redemption is not settled. */
    settlementId: string | null;
  }
>;

type OperationData =
  | { reference: string; kind: "ISSUE"; orderId: string }
  | { reference: string; kind: "REDEEM"; redemptionId: string };

/** Nobody knows yet whether money moved. */
export type OperationUnknown = Body<"operation.unknown", OperationData>;

/** It is known now, of an operation that was reported as unknown. */
export type OperationResolved = Body<"operation.resolved", OperationData & { status: "SUCCEEDED" | "FAILED" }>;

export type SettlementCreated = Body<"settlement.created", Schemas["Settlement"]>;

export type SettlementHeld = Body<"settlement.held", Schemas["Settlement"]>;

export type PayoutPaid = Body<
  "payout.paid",
  {
    payoutId: string;
    amountMinor: number;
    currency: string;
    /** How many settlements it pays. */
    count: number;
    /** The reference of the payment. */
    reference: string;
  }
>;

export type MerchantStatusChanged = Body<
  "merchant.status_changed",
  { from: Schemas["MerchantStatus"]; to: Schemas["MerchantStatus"] }
>;

/** The messages that this version of the package knows. */
export type WebhookMessage =
  | GiftCardIssued
  | GiftCardRedeemed
  | OperationUnknown
  | OperationResolved
  | SettlementCreated
  | SettlementHeld
  | PayoutPaid
  | MerchantStatusChanged;

/** Text that is none of the known types. It is an enum since a `switch` tells no other kind of text from known literals. */
declare enum UnknownType {
  other = "any other text",
}

/** A message of a newer API. */
export type UnknownWebhookMessage = Body<UnknownType, Record<string, unknown>>;

/** What `verifyWebhook` returns. `id` is the same each time that the message is sent. */
export type ReceivedWebhook = (WebhookMessage | UnknownWebhookMessage) & { id: string };

// Without this, the types above that are not exported would be as well.
export {};
