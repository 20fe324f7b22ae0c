import { foldsShownIn, isStandIn } from "../message/effective-view.ts";
import type { Message, ToolResultBlock, ToolUseBlock } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { count } from "../requests/describe-decision.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { countBlockTokens } from "../tokens/count-messages.ts";
import { toolAct } from "../tool-calls/tool-act.ts";
import { carryingUsd, type Finding, type FindingSource, type Remedy } from "./finding.ts";

interface ShownResult {
  readonly message: Message;
  readonly call: ToolUseBlock | undefined;
  readonly tokens: number;
}

/** A result that takes this share of the window is large. */
const LARGE_SHARE = 1 / 3;
/** Fewer repeated tokens are not worth a finding. */
const LEAST_REPEATED_TOKENS = 200;
const MOST_FILES = 10;

/** Files that the view shows more than once, and results that fill much of the window. */
export function findInView(source: FindingSource): readonly Finding[] {
  const results = shownResults(source.view, source.requests.at(-1)?.tokenRatio);
  return [...repeatedReads(results, source), ...largeResults(results, source)];
}

function shownResults(view: readonly Message[], tokenRatio: number | undefined): readonly ShownResult[] {
  const ratio = tokenRatio !== undefined && tokenRatio > 0 ? tokenRatio : 1;
  const calls = new Map<string, ToolUseBlock>();
  const results: ShownResult[] = [];
  for (const message of view) {
    if (isStandIn(message)) continue;
    const folded = new Set(foldsShownIn(message).map(({ blockIndex }) => blockIndex));
    for (const [index, block] of contentBlocks(message.content).entries()) {
      if (isToolUse(block)) calls.set(block.id, block);
      if (isToolResult(block) && !folded.has(index)) results.push(shownResult(message, block, { calls, ratio }));
    }
  }
  return results;
}

function shownResult(
  message: Message,
  block: ToolResultBlock,
  { calls, ratio }: { readonly calls: ReadonlyMap<string, ToolUseBlock>; readonly ratio: number },
): ShownResult {
  const tokens = Math.round(countBlockTokens(block, countContentTokens) * ratio);
  return { message, call: calls.get(block.tool_use_id), tokens };
}

/** Finds reads of files of which the view shows a newer one: they may be outdated. */
function repeatedReads(results: readonly ShownResult[], { entry, requests }: FindingSource): readonly Finding[] {
  const reads = new Map<string, ShownResult[]>();
  for (const result of results) {
    const path = readPath(result.call);
    if (path !== undefined) reads.set(path, [...(reads.get(path) ?? []), result]);
  }
  const older = [...reads].flatMap(([path, shown]) => shown.slice(0, -1).map((result) => ({ path, ...result })));
  const tokens = older.reduce((sum, read) => sum + read.tokens, 0);
  if (tokens < LEAST_REPEATED_TOKENS) return [];
  const names = [...new Set(older.map(({ path }) => path))];
  return [
    {
      kind: "repeated-read",
      title: `${names.length === 1 ? "One file is" : `${names.length} files are`} in the window more than once`,
      detail: `${older.length} older reads take ${count(tokens)} tokens of each request, beside the newest read of the same file.`,
      tokens,
      usd: carryingUsd(entry, tokens, requests.at(-1)?.promptTokens ?? tokens),
      per: "request",
      messageIds: idsOf(older),
      foldIds: [],
      names: names.slice(0, MOST_FILES),
      remedy: remedyFor(older),
    },
  ];
}

function readPath(call: ToolUseBlock | undefined): string | undefined {
  if (call === undefined) return undefined;
  const { kind, files } = toolAct(call);
  return kind === "read" ? files.find(({ touch }) => touch === "read")?.path : undefined;
}

function largeResults(results: readonly ShownResult[], { entry, requests }: FindingSource): readonly Finding[] {
  const last = requests.at(-1);
  if (last === undefined) return [];
  return results
    .filter(({ tokens }) => tokens >= last.contextWindow * LARGE_SHARE)
    .map(({ message, call, tokens }): Finding => {
      const share = Math.round((100 * tokens) / last.contextWindow);
      return {
        kind: "large-result",
        title: `One result of ${call?.name ?? "a tool"} fills ${share} % of the window`,
        detail: `It takes ${count(tokens)} of ${count(last.contextWindow)} tokens in each request. Asked for a part of it, the tool would have brought less.`,
        tokens,
        usd: carryingUsd(entry, tokens, last.promptTokens),
        per: "request",
        messageIds: idsOf([{ message }]),
        foldIds: [],
        names: call === undefined ? [] : [call.name],
        remedy: remedyFor([{ message }]),
      };
    });
}

/** Clears the results' messages, except for pinned ones, which a person or agent wanted to keep. */
function remedyFor(results: readonly Pick<ShownResult, "message">[]): Remedy {
  const messageIds = idsOf(results.filter(({ message }) => message.important !== true));
  if (messageIds.length > 0) return { type: "clear", messageIds };
  return { type: "none", reason: "It is pinned, or its message has no id. Unpin it, and it can be hidden." };
}

function idsOf(results: readonly Pick<ShownResult, "message">[]): readonly string[] {
  return [...new Set(results.flatMap(({ message: { id } }) => (id === undefined ? [] : [id])))];
}
