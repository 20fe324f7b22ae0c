import { WIRE_ADAPTERS } from "../../adapters/index.ts";
import type { WireTelemetry } from "../../core/ports/wire-adapter.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import type { RequestActivity } from "../activity.ts";
import { promptTokensOf } from "../prompt-tokens-of.ts";

/** Attributes of a span or of a measurement; never content. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A wire that is none of this package's is called by its own name. */
function telemetryOf({ api }: RequestActivity): WireTelemetry {
  return WIRE_ADAPTERS.find(({ name }) => name === api)?.telemetry ?? { provider: api };
}

/** The agent chose the name of its model: it may be of any length. */
const LONGEST_MODEL_ID = 256;

/** The span's name: the operation and the model. */
export function nameRequest(request: RequestActivity): string {
  return `${operationOf(request)} ${modelOf(request)}`.trim();
}

/** What spans and measurements have in common. */
export function identifyRequest(request: RequestActivity): Attributes {
  const model = modelOf(request);
  return {
    "gen_ai.operation.name": operationOf(request),
    "gen_ai.provider.name": telemetryOf(request).provider,
    ...(model !== "" && { "gen_ai.request.model": model }),
  };
}

/** Everything that a request's span says. */
export function describeRequest(request: RequestActivity): Attributes {
  const errorType = errorTypeOf(request);
  return {
    ...identifyRequest(request),
    ...telemetryOf(request).attributes,
    ...(request.isStreaming && { "gen_ai.request.stream": true }),
    ...(request.sessionId !== undefined && { "gen_ai.conversation.id": request.sessionId }),
    ...(request.status !== undefined && { "http.response.status_code": request.status }),
    ...(errorType !== undefined && { "error.type": errorType }),
    ...(request.usage !== undefined && describeUsage(request.usage)),
    "palimpsest.tokens_in": request.tokensIn,
    "palimpsest.tokens_sent": request.tokensSent,
    "palimpsest.folds": request.foldIds.length,
    "palimpsest.retries": request.retries,
    "palimpsest.added_ms": request.addedMs,
    ...(request.costUsd !== undefined && { "palimpsest.cost_usd": request.costUsd }),
  };
}

/** Undefined where the request succeeded. */
export function errorTypeOf(request: RequestActivity): string | undefined {
  if (request.status === undefined) return "no_response";
  if (request.status >= 400) return String(request.status);
  return request.isComplete ? undefined : "incomplete_reply";
}

function describeUsage(usage: ReportedUsage): Attributes {
  const { cacheReadTokens, cacheWriteTokens } = usage;
  const outputTokens = writtenTokens(usage);
  return {
    "gen_ai.usage.input_tokens": promptTokensOf(usage),
    ...(outputTokens !== undefined && { "gen_ai.usage.output_tokens": outputTokens }),
    ...(cacheReadTokens !== undefined && { "gen_ai.usage.cache_read.input_tokens": cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { "gen_ai.usage.cache_creation.input_tokens": cacheWriteTokens }),
  };
}

function operationOf(request: RequestActivity): string {
  return request.operation === "count-tokens" ? "count_tokens" : (telemetryOf(request).operation ?? "chat");
}

function modelOf({ modelId }: RequestActivity): string {
  return modelId.slice(0, LONGEST_MODEL_ID);
}

/** All that the model wrote, its reasoning included; undefined where that was not reported. */
export function writtenTokens({ outputTokens, reasoningTokens = 0 }: ReportedUsage): number | undefined {
  return outputTokens === undefined ? undefined : outputTokens + reasoningTokens;
}
