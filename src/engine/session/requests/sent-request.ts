import { assert, assertNumber, assertObject } from "../../../core/assert.ts";
import type { CacheDiagnosis } from "../../../core/statement/cache-diagnosis.ts";
import type { ReportedUsage } from "../../../core/tokens/forecast.ts";
import type { ProviderUsage } from "../../../core/tokens/provider-usage.ts";
import type { CalibrateOptions } from "../calibrate.ts";

/** A request that was sent with the log as it is. */
export interface SentRequest {
  /** When it was sent, in milliseconds since the epoch. @default now */
  readonly at?: number | undefined;
  /** The usage as the provider reported it. @default the provider reported none */
  readonly usage?: ReportedUsage | ProviderUsage | undefined;
  /** The size of the prompt, for a request that did not send the session's current view. @default the session's forecast for its view */
  readonly promptTokens?: number | undefined;
  /** The number of messages in the log when the request was sent. If the log still has that many, its view is what was sent, and `promptTokens` is ignored. */
  readonly messageCount?: number | undefined;
  /** Why the provider's cache missed. @default unknown */
  readonly cacheDiagnosis?: CacheDiagnosis | undefined;
  /** A usage to keep as `calibrate` does, in the same write. It is kept only if the log still has `messageCount` messages. @default none is kept */
  readonly calibration?:
    | { readonly usage: ReportedUsage | ProviderUsage; readonly from?: CalibrateOptions["from"] }
    | undefined;
  /** The body that was sent, so that it can be shown later. The store keeps each distinct piece of a body once. @default no body is kept */
  readonly body?: SentBody | undefined;
}

/** The body of a request. Headers are no part of it: keys are never kept. */
export interface SentBody {
  /** The API that it is for, such as "anthropic". */
  readonly wire: string;
  /** The bytes as they were sent; they must not be changed afterwards. */
  readonly bytes: Uint8Array;
  /** Whether it is what the agent sent, byte for byte. @default false */
  readonly isAsItCame?: boolean | undefined;
}

/** Throws "invalid-argument" where a field has the wrong type. */
export function assertSentRequest(request: SentRequest): void {
  assertObject("request", request);
  const { at, promptTokens, messageCount, cacheDiagnosis } = request;
  if (at !== undefined) assertNumber("request.at", at, 0);
  if (promptTokens !== undefined) assertNumber("request.promptTokens", promptTokens, 0);
  if (messageCount !== undefined) assertNumber("request.messageCount", messageCount, 0);
  if (cacheDiagnosis !== undefined) assertObject("request.cacheDiagnosis", cacheDiagnosis);
  if (request.calibration !== undefined) assertObject("request.calibration", request.calibration);
  if (request.body !== undefined) assertSentBody(request.body);
}

function assertSentBody(body: SentBody): void {
  assertObject("request.body", body);
  const { wire, bytes, isAsItCame } = body;
  assert(typeof wire === "string" && wire !== "", "request.body.wire", wire, "the name of an API");
  assert(bytes instanceof Uint8Array, "request.body.bytes", typeof bytes, "a Uint8Array");
  const isFlag = isAsItCame === undefined || typeof isAsItCame === "boolean";
  assert(isFlag, "request.body.isAsItCame", isAsItCame, "true or false");
}
