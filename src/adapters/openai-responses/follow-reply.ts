import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { asRecord, asTokens, parseJson } from "../../core/transcript/read-json.ts";

/** Text of a reply that says `"usage"` says it with escaped quotes, so only a report looks like this. */
const HAS_USAGE = /(?<!\\)"usage"\s*:\s*\{/;

/** Follows a whole reply or a stream of events, of which only the one with the report is parsed. */
export function followReply(): ReplyFollower {
  let mode: "unknown" | "whole" | "events" = "unknown";
  /** The line that is not complete yet; all of the reply where it comes whole. */
  let tail = "";
  let dataLines: string[] = [];
  let usage: ReportedUsage | undefined;

  const endEvent = (): void => {
    const data = dataLines.join("\n");
    dataLines = [];
    if (HAS_USAGE.test(data)) usage = readUsage(asRecord(parseJson(data))?.response) ?? usage;
  };
  const takeLine = (line: string): void => {
    if (line === "") endEvent();
    else if (line.startsWith("data:")) dataLines.push(line.slice("data:".length));
  };
  return {
    push(text) {
      if (mode === "unknown") {
        const first = /\S/.exec(tail + text)?.[0];
        if (first !== undefined) mode = first === "{" ? "whole" : "events";
      }
      const end = mode === "events" ? text.lastIndexOf("\n") : -1;
      if (end < 0) {
        tail += text;
        return;
      }
      const lines = (tail + text.slice(0, end)).split("\n");
      tail = text.slice(end + 1);
      for (const line of lines) takeLine(line.endsWith("\r") ? line.slice(0, -1) : line);
    },
    usage() {
      if (mode === "whole") usage ??= readUsage(parseJson(tail));
      return usage;
    },
  };
}

/** The prompt's total holds what was read from and written to a cache; reasoning is part of the output, and is not sent back as tokens. */
function readUsage(response: unknown): ReportedUsage | undefined {
  const usage = asRecord(asRecord(response)?.usage);
  if (usage === undefined) return undefined;
  const details = asRecord(usage.input_tokens_details);
  const promptTokens = asTokens(usage.input_tokens);
  const cacheReadTokens = Math.min(promptTokens, asTokens(details?.cached_tokens));
  const cacheWriteTokens = Math.min(promptTokens - cacheReadTokens, asTokens(details?.cache_write_tokens));
  const reasoningTokens = asTokens(asRecord(usage.output_tokens_details)?.reasoning_tokens);
  return {
    inputTokens: promptTokens - cacheReadTokens - cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: Math.max(0, asTokens(usage.output_tokens) - reasoningTokens),
  };
}
