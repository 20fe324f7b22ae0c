import { countMessageTokens } from "../../core/tokens/count-messages.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";
import type { Growth, GrowthCompaction, GrowthPoint } from "./inspection.ts";

/** How the context grew from one model call to the next. */
export function measureGrowth({ messages, usages, compactions }: Transcript): Growth {
  const reported = new Map(
    usages.map((usage) => [usage.messageIndex, usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens]),
  );
  const starts = new Set(compactions.map(({ messageIndex }) => messageIndex));
  const calls: GrowthPoint[] = [];
  let tokens = 0;
  for (const [messageIndex, message] of messages.entries()) {
    if (starts.has(messageIndex)) tokens = 0;
    if (message.role === "assistant") {
      const reportedTokens = reported.get(messageIndex);
      calls.push({ messageIndex, tokens, ...(reportedTokens !== undefined && { reportedTokens }) });
    }
    tokens += countMessageTokens(message);
  }
  const reportedPeakTokens = largest(calls.map((call) => call.reportedTokens ?? 0));
  return {
    peakTokens: largest(calls.map((call) => call.tokens)),
    ...(reportedPeakTokens > 0 && { reportedPeakTokens }),
    calls,
    compactions: compactions.map(({ messageIndex, tokensBefore }): GrowthCompaction => {
      const callIndex = calls.findIndex((call) => call.messageIndex >= messageIndex);
      const place = { callIndex: callIndex < 0 ? calls.length : callIndex, messageIndex };
      return tokensBefore === undefined ? place : { ...place, tokensBefore };
    }),
  };
}

function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
