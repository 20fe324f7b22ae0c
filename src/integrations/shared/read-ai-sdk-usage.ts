import { asNumber, asTokens, fieldAt, isRecord } from "../../core/json/read-json.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";

/** The usage that a model reported, each token counted once; undefined if there is none. Versions 6 and 7 group the numbers, version 5 does not. */
export function readAiSdkUsage(usage: unknown): ReportedUsage | undefined {
  const input = fieldAt(usage, "inputTokens");
  const total = asNumber(isRecord(input) ? input.total : input);
  const cacheRead = asTokens(isRecord(input) ? input.cacheRead : fieldAt(usage, "cachedInputTokens"));
  const cacheWrite = asTokens(fieldAt(input, "cacheWrite"));
  const fresh =
    asNumber(fieldAt(input, "noCache")) ?? (total === undefined ? undefined : total - cacheRead - cacheWrite);
  if (fresh === undefined) return undefined;
  // The provider decides whether reasoning is sent back: the reply is counted without it.
  const output = fieldAt(usage, "outputTokens");
  const reasoning = asTokens(isRecord(output) ? output.reasoning : fieldAt(usage, "reasoningTokens"));
  const written = asTokens(isRecord(output) ? output.total : output);
  return {
    inputTokens: Math.max(0, fresh),
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    outputTokens: Math.max(0, written - reasoning),
    reasoningTokens: reasoning,
  };
}
