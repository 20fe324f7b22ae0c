import { isRecord } from "../../core/json/read-json.ts";
import type { Message, ToolUseBlock } from "../../core/message/message.ts";
import { contentBlocks } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { normalize } from "../../core/tool-calls/stand-in-call.ts";
import { dedupeToolResults } from "../../core/truncate/dedupe-tool-results.ts";
import type { RepeatedCall, Repeats } from "./inspection.ts";
import type { MeasuredBlock } from "./measure-blocks.ts";
import { type ListOptions, nameCall } from "./shares.ts";

/** Arguments that do not change what a call asks for: a range, a timeout, a reason. Compared without case and separators. */
const SIDE_ARGUMENTS: ReadonlySet<string> = new Set([
  ...[
    "offset",
    "limit",
    "startline",
    "endline",
    "linestart",
    "lineend",
    "viewrange",
    "linerange",
    "lines",
    "headlimit",
  ],
  ...["description", "explanation", "reason", "title", "timeout", "timeoutms", "yieldtimems", "maxoutputtokens"],
]);

/** Finds calls that were made more than once, and what showing each of their results only once would save. */
export function findRepeats(
  messages: readonly Message[],
  blocks: readonly MeasuredBlock[],
  { top, workingDirectory }: ListOptions,
): Repeats {
  const savings = measureSavings(messages);
  const groups = new Map<string, CallSum>();
  for (const { block, call, kind, tokens } of blocks) {
    if (kind !== "tool results" || call === undefined) continue;
    const key = callKey(call);
    const sum = groups.get(key) ?? { call, times: 0, tokens: 0, dedupableTokens: 0 };
    groups.set(key, {
      ...sum,
      times: sum.times + 1,
      tokens: sum.tokens + tokens,
      dedupableTokens: sum.dedupableTokens + (savings.get(block) ?? 0),
    });
  }
  const repeated = [...groups.values()].filter(({ times }) => times > 1);
  repeated.sort((a, b) => b.dedupableTokens - a.dedupableTokens || b.tokens - a.tokens);
  return {
    dedupableTokens: [...savings.values()].reduce((sum, saved) => sum + saved, 0),
    calls: repeated.slice(0, top).map(({ call, ...sum }) => ({ what: nameCall(call, workingDirectory), ...sum })),
  };
}

interface CallSum extends Omit<RepeatedCall, "what"> {
  readonly call: ToolUseBlock;
}

/** The tokens that `dedupe` would hide, by block. */
function measureSavings(messages: readonly Message[]): ReadonlyMap<object, number> {
  const { messages: deduped, foldId } = dedupeToolResults(messages, { minGainTokens: 0 });
  const savings = new Map<object, number>();
  for (const { content, folds } of deduped) {
    for (const fold of folds ?? []) {
      const block = contentBlocks(content)[fold.blockIndex];
      if (fold.foldId === foldId && block !== undefined) savings.set(block, fold.hiddenTokens);
    }
  }
  return savings;
}

/** A key that is equal for calls of one tool that ask for the same thing. */
function callKey({ name, input }: ToolUseBlock): string {
  if (!isRecord(input)) return serialize([name, input]);
  const main = Object.entries(input).filter(([argument]) => !SIDE_ARGUMENTS.has(normalize(argument)));
  return serialize([name, main.sort(([a], [b]) => (a < b ? -1 : 1))]);
}
