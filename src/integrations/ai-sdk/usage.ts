import { asNumber, asTokens, fieldAt, isRecord } from "../../core/json/read-json.ts";
import { readTooLong, type TooLong } from "../../core/policy/too-long.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";

/** What a model reported, each token counted once; undefined where it reported nothing. Versions 6 and 7 group the numbers, 5 does not. */
export function readUsage(usage: unknown): ReportedUsage | undefined {
  const input = fieldAt(usage, "inputTokens");
  const total = asNumber(isRecord(input) ? input.total : input);
  const cacheRead = asTokens(isRecord(input) ? input.cacheRead : fieldAt(usage, "cachedInputTokens"));
  const cacheWrite = asTokens(fieldAt(input, "cacheWrite"));
  const fresh =
    asNumber(fieldAt(input, "noCache")) ?? (total === undefined ? undefined : total - cacheRead - cacheWrite);
  if (fresh === undefined) return undefined;
  // Whether reasoning goes back is the provider's affair: the reply counts without what may be dropped.
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

/** Whether a model's server refused a prompt as too long: read by the shape of the error, as versions have classes of their own. */
export function readRefusal(error: unknown): TooLong {
  const status = [fieldAt(error, "statusCode"), fieldAt(error, "code")].find(
    (each): each is number => typeof each === "number" && each >= 400 && each < 600,
  );
  const message = error instanceof Error ? error.message : String(fieldAt(error, "message") ?? "");
  const code = fieldAt(error, "code");
  const body = fieldAt(error, "responseBody") ?? fieldAt(error, "data") ?? error;
  return readTooLong({ status, message, body, ...(typeof code === "string" && { code }) });
}
