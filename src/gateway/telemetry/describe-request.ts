import { WIRE_ADAPTERS } from "../../adapters/index.ts";
import type { WireTelemetry } from "../../core/ports/wire-adapter.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import type { RequestActivity } from "../activity.ts";
import { promptTokensOf } from "../prompt-tokens-of.ts";

/** The attributes of a span or a measurement; never content of a request. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** The telemetry names of a request's wire; a wire of another package is reported under its own name. */
function telemetryOf({ api }: RequestActivity): WireTelemetry {
  return WIRE_ADAPTERS.find(({ name }) => name === api)?.telemetry ?? { provider: api };
}

/** Longer model ids are cut: the agent chooses them, and they may have any length. */
const LONGEST_MODEL_ID = 256;

/** The span's name: the operation and the model. */
export function nameRequest(request: RequestActivity): string {
  return `${operationOf(request)} ${modelOf(request)}`.trim();
}

/** The attributes that a request's span and measurements have in common. */
export function identifyRequest(request: RequestActivity): Attributes {
  const model = modelOf(request);
  return {
    "gen_ai.operation.name": operationOf(request),
    "gen_ai.provider.name": telemetryOf(request).provider,
    ...(model !== "" && { "gen_ai.request.model": model }),
  };
}

/** All attributes of a request's span. */
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

/** The `error.type` of a failed request; undefined where it succeeded. */
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

/** The tokens that the model wrote, those of its reasoning included; undefined where they were not reported. */
export function writtenTokens({ outputTokens, reasoningTokens = 0 }: ReportedUsage): number | undefined {
  return outputTokens === undefined ? undefined : outputTokens + reasoningTokens;
}
