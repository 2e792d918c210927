// Types that no module needs to run.

import type { components, paths } from "./schema.js";
import type { Client } from "./vendor/openapi-fetch.js";

export type { paths } from "./schema.js";

export type Schemas = components["schemas"];

export type PortalClient = Client<paths>;

export interface PortalClientOptions {
  /** The API's origin, without a slash at the end. */
  baseUrl: string;
  /** A bearer token, as a till has it. Without one, the browser's session cookie is sent. */
  token?: string;
  /** A key of a merchant's own program, instead of a token. On servers alone: in a page, this throws a `TypeError`. */
  key?: string;
  /**
   * The id of the merchant that the program acts for, or a function that returns it. Writes name it in `X-Expected-Merchant`,
   * so that the API refuses them (409 `OTHER_MERCHANT`) if the session is another merchant's by now.
   */
  expectedMerchant?: string | (() => string | null | undefined);
  /** Ends requests that have no signal of their own. */
  signal?: AbortSignal;
  /** Instead of the global `fetch`, such as `reliableReads()`. */
  fetch?: (request: Request) => Promise<Response>;
}

/** The error bodies with a code of their own, whatever their format. */
type CodedError = { [Name in keyof Schemas]: WithCode<Schemas[Name]> }[keyof Schemas];

type WithCode<Body> = Body extends { error: infer Nested extends { code: string } }
  ? Nested
  : Body extends { error: string; code: infer Code extends string }
    ? string extends Code
      ? never
      : Body
    : never;

/** Codes that the description of the API has no schema for. */
type OtherCode = "METHOD_NOT_ALLOWED" | "TEAM_INVITE_OTP_REQUIRED";

/** The codes of this version of the API. A newer one may have more: give a `switch` a default. */
export type ErrorCode = OtherCode | CodedError["code"];

/** What the API says beside code and message, by code. Null for codes without details. */
export type ErrorDetails<Code extends ErrorCode> =
  Extract<CodedError, { code: Code }> extends infer Coded
    ? Coded extends { details: infer Details }
      ? Details
      : null
    : never;

/**
 * What `readError` reads from an error's body. `code` tells the errors apart and decides the type of `details`; it is null for
 * a refusal of the card network, whose response is in `details`, and for the few routes whose errors are a sentence alone. The
 * message is for developers: show words of your own.
 */
export type ApiError =
  | { [Code in ErrorCode]: { code: Code; message: string; details: ErrorDetails<Code> } }[ErrorCode]
  | { code: null; message: string; details: Schemas["CardNetworkRefusal"] | string | null };

// Without this, the types above that are not exported would be as well.
export {};
