import { foldBlocks, hidingFolds } from "../message/block-folds.ts";
import { collectStandIns, isHidden } from "../message/effective-view.ts";
import { newFoldId } from "../message/fold-id.ts";
import {
  type CountTokens,
  isKnownBlock,
  type Message,
  type ToolResultBlock,
  type ToolUseBlock,
} from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { findRule } from "../tool-calls/find-rule.ts";
import { normalize } from "../tool-calls/stand-in-call.ts";
import { clipText } from "./clip/clip-text.ts";

/**
 * Results by which an agent sends the model to what it was shown before: it believes that nothing is hidden. Read from the beginning of a
 * result; a file may quote such words further on.
 */
const POINTERS: readonly RegExp[] = [
  // Claude Code, older versions
  /^File unchanged since last read\b/,
  /^Wasted call\b.{0,5}\bfile unchanged since\b/,
  /^(?:<system-reminder>\s*)?This file is already in your context\b/,
  // Qwen Code
  /^\[File .{1,400}? unchanged since last read\b/,
];
const LONGEST_POINTER = 1_200;

/** Whether a message holds a pointer to what was shown before. Looks at results alone. */
export function holdsPointer({ role, content }: Message): boolean {
  return role === "user" && contentBlocks(content).some((block) => isToolResult(block) && isPointer(block));
}

function isPointer(result: ToolResultBlock): boolean {
  const text = textOf(result)?.trimStart() ?? "";
  return text.length <= LONGEST_POINTER && POINTERS.some((pointer) => pointer.test(text));
}

/** Undefined where there is something else than text in a result. */
function textOf({ content = "" }: ToolResultBlock): string | undefined {
  if (typeof content === "string") return content;
  const texts = content.map((item) => (isKnownBlock(item) && item.type === "text" ? item.text : undefined));
  return texts.includes(undefined) ? undefined : texts.join("\n");
}

export interface ResolveOptions {
  readonly countTokens: CountTokens;
  readonly taskId: string;
  /** What is pointed to may take so much; more of it is clipped. */
  readonly mostTokens: number;
}

export interface ResolvedPointers {
  /** The same array where no pointer leads to something hidden. */
  readonly messages: readonly Message[];
  readonly foldId?: string;
}

/**
 * Shows, in place of the newest pointer to something that folds hide, what it points to: the earlier result of the same call. A fold like
 * any other: it stays the same bytes for as long as it lives, and restoring it shows the pointer.
 */
export function resolvePointers(messages: readonly Message[], options: ResolveOptions): ResolvedPointers {
  const { countTokens, taskId, mostTokens } = options;
  const places = findResults(messages);
  const foldId = newFoldId("resolve", taskId, messages);
  const shownTexts = new Set(places.filter(({ isWhole }) => isWhole).map(({ text }) => text));
  const requests = [...newestPointers(places).values()].flatMap(({ messageIndex, blockIndex, block, target }) => {
    // Where the same text is shown anywhere, that is what a reader finds.
    if (target.text === undefined || shownTexts.has(target.text)) return [];
    const measure = (text: string) => countTokens([{ ...block, content: text }]);
    const note = `[shown again in place of a pointer to it; restore fold ${foldId} for the pointer]`;
    const shown = clipText(target.text, { budgetTokens: Math.max(0, mostTokens), countTokens: measure, foldId });
    const standIn = { ...block, content: `${shown}\n${note}` };
    return [{ messageIndex, blockIndex, standIn, hiddenTokens: countTokens([block]) - countTokens([standIn]) }];
  });
  if (requests.length === 0) return { messages };
  return { messages: foldBlocks(messages, { foldId, kind: "resolve" }, requests), foldId };
}

/** A result, what it answers, and whether the view shows it as it was returned. */
interface PlacedResult {
  readonly messageIndex: number;
  readonly blockIndex: number;
  readonly block: ToolResultBlock;
  readonly key: string | undefined;
  readonly text: string | undefined;
  readonly isVisible: boolean;
  readonly isWhole: boolean;
  readonly isPointer: boolean;
}

function findResults(messages: readonly Message[]): readonly PlacedResult[] {
  const standIns = collectStandIns(messages);
  const calls = new Map<string, ToolUseBlock>();
  const found: PlacedResult[] = [];
  for (const [messageIndex, message] of messages.entries()) {
    const isVisible = !isHidden(message, standIns);
    const folded = new Map(hidingFolds(message).map((fold) => [fold.blockIndex, fold]));
    for (const [blockIndex, block] of contentBlocks(message.content).entries()) {
      if (isToolUse(block)) calls.set(block.id, block);
      if (!isToolResult(block) || block.is_error === true) continue;
      const call = calls.get(block.tool_use_id);
      const fold = folded.get(blockIndex);
      found.push({
        messageIndex,
        blockIndex,
        block,
        key: call === undefined ? undefined : subjectOf(call),
        text: textOf(block),
        isVisible,
        isWhole: isVisible && fold === undefined,
        isPointer: fold === undefined && isPointer(block),
      });
    }
  }
  return found;
}

/** By what is pointed to, the newest visible pointer to it and the newest result before that with its content. */
function newestPointers(
  places: readonly PlacedResult[],
): ReadonlyMap<string, PlacedResult & { readonly target: PlacedResult }> {
  const contents = new Map<string, PlacedResult>();
  const pointers = new Map<string, PlacedResult & { readonly target: PlacedResult }>();
  for (const place of places) {
    if (place.key === undefined) continue;
    if (!isPointer(place.block)) contents.set(place.key, place);
    const target = contents.get(place.key);
    if (!place.isPointer || !place.isVisible || target === undefined) continue;
    pointers.set(place.key, { ...place, target });
  }
  return pointers;
}

/** Arguments that say which part of a file is read. */
const RANGE = /^(?:offset|limit|start|end|startline|endline|viewrange|pages|range)$/;
const PATH = /^(?:filepath|absolutepath|path|file|filename|targetfile|notebookpath)$/;

/** The file that a call reads, and which part of it; undefined for calls that do anything else, a search in the file among them. */
function subjectOf(call: ToolUseBlock): string | undefined {
  const { input } = call;
  if (typeof input !== "object" || input === null || findRule(call).kind !== "read") return undefined;
  let path: string | undefined;
  const range: string[] = [];
  for (const [name, value] of Object.entries(input)) {
    const key = normalize(name);
    if (PATH.test(key) && typeof value === "string") path ??= value;
    else if (RANGE.test(key) && value !== null && value !== undefined) range.push(`${key}=${JSON.stringify(value)}`);
  }
  return path === undefined ? undefined : [path, ...range.toSorted()].join(" ");
}
