import { describeError } from "../../core/describe-error.ts";
import { asName, asTokens, fieldAt } from "../../core/json/read-json.ts";
import { readTooLong, type TooLong } from "../../core/policy/too-long.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";

/** What the provider reported for a call; undefined where it reported nothing. LangChain's input counts all of the prompt. */
export function readUsage(reply: object): ReportedUsage | undefined {
  const tokensAt = (...path: readonly string[]) => asTokens(fieldAt(reply, "usage_metadata", ...path));
  const promptTokens = tokensAt("input_tokens");
  const cacheReadTokens = tokensAt("input_token_details", "cache_read");
  const cacheWriteTokens = tokensAt("input_token_details", "cache_creation");
  const reasoningTokens = tokensAt("output_token_details", "reasoning");
  const inputTokens = promptTokens - cacheReadTokens - cacheWriteTokens;
  if (promptTokens === 0 || inputTokens < 0) return undefined;
  const outputTokens = Math.max(0, tokensAt("output_tokens") - reasoningTokens);
  return { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens };
}

/** Whether the model's server refused a prompt as too long: read from the error of its client, which other middlewares may have wrapped. */
export function readRefusal(thrown: unknown): TooLong {
  const own = readError(thrown);
  return own.isTooLong ? own : readError(fieldAt(thrown, "cause"));
}

function readError(error: unknown): TooLong {
  const status = fieldAt(error, "status");
  const code = asName(fieldAt(error, "code"));
  return readTooLong({
    message: describeError(error),
    ...(typeof status === "number" && { status }),
    ...(code !== undefined && { code }),
    body: fieldAt(error, "error"),
  });
}
