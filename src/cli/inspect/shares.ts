import { messageName } from "../../core/history/message-name.ts";
import { isRecord } from "../../core/json/read-json.ts";
import { isKnownBlock, type ToolUseBlock } from "../../core/message/message.ts";
import { isToolResult } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { describeCall } from "../../core/tool-calls/stand-in-call.ts";
import type { BigItem, KindShare, ToolShare } from "./inspection.ts";
import type { Kind, MeasuredBlock } from "./measure-blocks.ts";

/** Tokens by kind, largest first. */
export function shareByKind(blocks: readonly MeasuredBlock[]): readonly KindShare[] {
  const total = sumTokens(blocks);
  const kinds = new Map<Kind, { items: number; tokens: number }>();
  for (const { kind, tokens } of blocks) {
    const sum = kinds.get(kind) ?? { items: 0, tokens: 0 };
    kinds.set(kind, { items: sum.items + 1, tokens: sum.tokens + tokens });
  }
  return Array.from(kinds, ([kind, sum]) => ({ kind, ...sum, share: shareOf(sum.tokens, total) })).sort(
    (a, b) => b.tokens - a.tokens,
  );
}

type ToolSum = Omit<ToolShare, "tool" | "share">;

const NOTHING: ToolSum = { calls: 0, errors: 0, callTokens: 0, resultTokens: 0 };

/** Tokens by tool, largest first; a tool's share is of its calls and results together. */
export function shareByTool(blocks: readonly MeasuredBlock[]): readonly ToolShare[] {
  const total = sumTokens(blocks);
  const tools = new Map<string | undefined, ToolSum>();
  for (const { block, tokens, call, kind } of blocks) {
    if (kind !== "tool calls" && kind !== "tool results") continue;
    const sum = tools.get(call?.name) ?? NOTHING;
    const isError = isToolResult(block) && block.is_error === true;
    tools.set(call?.name, {
      calls: sum.calls + (kind === "tool calls" ? 1 : 0),
      errors: sum.errors + (isError ? 1 : 0),
      callTokens: sum.callTokens + (kind === "tool calls" ? tokens : 0),
      resultTokens: sum.resultTokens + (kind === "tool results" ? tokens : 0),
    });
  }
  return Array.from(tools, ([tool, sum]) => ({
    tool,
    ...sum,
    share: shareOf(sum.callTokens + sum.resultTokens, total),
  })).sort((a, b) => b.share - a.share);
}

/** Options of the lists in an inspection. */
export interface ListOptions {
  /** The most entries of a list. */
  readonly top: number;
  readonly workingDirectory: string | undefined;
}

/** The largest blocks, largest first; of blocks of equal size, the older one first. */
export function findBiggest(
  blocks: readonly MeasuredBlock[],
  { top, workingDirectory }: ListOptions,
): readonly BigItem[] {
  const total = sumTokens(blocks);
  return blocks
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, top)
    .map((measured) => ({
      messageId: messageName(measured.message, measured.messageIndex),
      messageIndex: measured.messageIndex,
      kind: measured.kind,
      what: describeBlock(measured, workingDirectory),
      tokens: measured.tokens,
      share: shareOf(measured.tokens, total),
    }));
}

const MAX_WORDS_CHARACTERS = 80;

function describeBlock({ block, call }: MeasuredBlock, workingDirectory: string | undefined): string {
  if (call !== undefined || isToolResult(block)) return nameCall(call, workingDirectory);
  if (!isKnownBlock(block)) return beginning(serialize(block));
  return "text" in block ? beginning(block.text) : block.type;
}

function beginning(text: string): string {
  // Cut before the pattern runs: the text may be as long as a file.
  const words = text
    .slice(0, 4 * MAX_WORDS_CHARACTERS)
    .replace(/\s+/gu, " ")
    .trim();
  return [...words].slice(0, MAX_WORDS_CHARACTERS).join("");
}

export function sumTokens(parts: readonly { readonly tokens: number }[]): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0);
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

/** Names a call by its tool and its main argument; paths are relative to the folder that the agent worked in. */
export function nameCall(call: ToolUseBlock | undefined, workingDirectory: string | undefined): string {
  if (call === undefined || workingDirectory === undefined || workingDirectory.length < 2) return describeCall(call);
  const shorten = (value: unknown) => (typeof value === "string" ? relativeTo(workingDirectory, value) : value);
  const { input } = call;
  const shorter = isRecord(input)
    ? Object.fromEntries(Object.entries(input).map(([name, value]) => [name, shorten(value)]))
    : shorten(input);
  return describeCall({ ...call, input: shorter });
}

/** The text with paths relative to the folder, and without a leading `cd` into it, with which agents often begin a command. */
function relativeTo(folder: string, text: string): string {
  const goThere = `cd ${folder} && `;
  const rest = text.startsWith(goThere) ? text.slice(goThere.length) : text;
  return rest.replaceAll(`${folder}/`, "");
}
