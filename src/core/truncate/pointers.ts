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
 * Results by which an agent refers the model to an earlier result, as the agent does not know that folds hide things. Matched at the beginning of a
 * result only: a file may quote such words further on.
 */
const POINTERS: readonly RegExp[] = [
  // Claude Code, older versions
  /^File unchanged since last read\b/,
  /^Wasted call\b.{0,5}\bfile unchanged since\b/,
  /^(?:<system-reminder>\s*)?This file is already in your context\b/,
  // Qwen Code
  /^\[File .{1,400}? unchanged since last read\b/,
];
const LONGEST_POINTER_CHARACTERS = 1_200;

/** Whether a tool result of a message is a pointer to an earlier one. */
export function holdsPointer({ role, content }: Message): boolean {
  return role === "user" && contentBlocks(content).some((block) => isToolResult(block) && isPointer(block));
}

function isPointer(result: ToolResultBlock): boolean {
  const text = textOf(result)?.trimStart() ?? "";
  return text.length <= LONGEST_POINTER_CHARACTERS && POINTERS.some((pointer) => pointer.test(text));
}

/** The text of a result; undefined where it holds anything but text. */
function textOf({ content = "" }: ToolResultBlock): string | undefined {
  if (typeof content === "string") return content;
  const texts = content.map((item) => (isKnownBlock(item) && item.type === "text" ? item.text : undefined));
  return texts.includes(undefined) ? undefined : texts.join("\n");
}

export interface ResolveOptions {
  readonly countTokens: CountTokens;
  readonly taskId: string;
  /** A longer result is clipped to this when it is shown in place of a pointer. */
  readonly mostTokens: number;
}

export interface ResolvedPointers {
  /** The same array where no pointer leads to something hidden. */
  readonly messages: readonly Message[];
  readonly foldId?: string;
}

/**
 * Shows hidden results in place of the pointers to them: for each, in place of the newest visible pointer. All are one fold, whose bytes stay the
 * same for as long as it lives; restoring it shows the pointers again.
 */
export function resolvePointers(messages: readonly Message[], options: ResolveOptions): ResolvedPointers {
  const { countTokens, taskId, mostTokens } = options;
  const places = findResults(messages);
  const foldId = newFoldId("resolve", taskId, messages);
  const shownTexts = new Set(places.filter(({ isWhole }) => isWhole).map(({ text }) => text));
  const requests = [...newestPointers(places).values()].flatMap(({ messageIndex, blockIndex, block, target }) => {
    // The view shows the same text elsewhere: the pointer leads there.
    if (target.text === undefined || shownTexts.has(target.text)) return [];
    const measure = (text: string) => countTokens([{ ...block, content: text }]);
    const note = `[shown again in place of a pointer to it, by fold ${foldId}]`;
    const shown = clipText(target.text, { budgetTokens: Math.max(0, mostTokens), countTokens: measure, foldId });
    const standIn = { ...block, content: `${shown}\n${note}` };
    return [{ messageIndex, blockIndex, standIn, hiddenTokens: countTokens([block]) - countTokens([standIn]) }];
  });
  if (requests.length === 0) return { messages };
  return { messages: foldBlocks(messages, { foldId, kind: "resolve" }, requests), foldId };
}

/** A tool result with what its call reads, and how the view shows it. */
interface PlacedResult {
  readonly messageIndex: number;
  readonly blockIndex: number;
  readonly block: ToolResultBlock;
  readonly subject: Subject | undefined;
  readonly text: string | undefined;
  /** The view shows its message. */
  readonly isVisible: boolean;
  /** The view shows it as it was returned. */
  readonly isWhole: boolean;
  readonly isPointer: boolean;
}

/** All tool results of a log that are no errors, in order. */
function findResults(messages: readonly Message[]): readonly PlacedResult[] {
  const standIns = collectStandIns(messages);
  const calls = new Map<string, ToolUseBlock>();
  const results: PlacedResult[] = [];
  for (const [messageIndex, message] of messages.entries()) {
    const isVisible = !isHidden(message, standIns);
    const folded = new Map(hidingFolds(message).map((fold) => [fold.blockIndex, fold]));
    for (const [blockIndex, block] of contentBlocks(message.content).entries()) {
      if (isToolUse(block)) calls.set(block.id, block);
      if (!isToolResult(block) || block.is_error === true) continue;
      const call = calls.get(block.tool_use_id);
      const fold = folded.get(blockIndex);
      results.push({
        messageIndex,
        blockIndex,
        block,
        subject: call === undefined ? undefined : subjectOf(call),
        text: textOf(block),
        isVisible,
        isWhole: isVisible && fold === undefined,
        isPointer: fold === undefined && isPointer(block),
      });
    }
  }
  return results;
}

/** A result of a call that reads a file. */
interface PlacedReading extends PlacedResult {
  readonly subject: Subject;
}

/** For each file or range that is pointed to, the newest visible pointer, and as its `target` the newest result before it with the content. */
function newestPointers(
  places: readonly PlacedResult[],
): ReadonlyMap<string, PlacedResult & { readonly target: PlacedResult }> {
  const contents = new Map<string, PlacedReading>();
  const pointers = new Map<string, PlacedResult & { readonly target: PlacedResult }>();
  for (const { subject, ...place } of places) {
    if (subject === undefined) continue;
    if (!isPointer(place.block)) contents.set(subject.key, { ...place, subject });
    if (!place.isPointer || !place.isVisible) continue;
    const target = contents.get(subject.key) ?? readByOtherPath(contents, subject);
    if (target !== undefined) pointers.set(target.subject.key, { ...place, subject, target });
  }
  return pointers;
}

/** The newest reading of a file that another call names by another path; undefined where the paths may mean several files. */
function readByOtherPath(contents: ReadonlyMap<string, PlacedReading>, subject: Subject): PlacedReading | undefined {
  const same = [...contents.values()].filter(
    ({ subject: { path, range } }) => range === subject.range && isSameFile(path, subject.path),
  );
  const [newest, ...others] = same.toSorted((one, other) => other.messageIndex - one.messageIndex);
  return others.every((other) => other.subject.path === newest?.subject.path) ? newest : undefined;
}

/** Whether two paths can mean the same file: they are equal, or a relative one is the end of the other. */
function isSameFile(path: string, other: string): boolean {
  return (
    path === other ||
    (isRelative(other) && path.endsWith(`/${other}`)) ||
    (isRelative(path) && other.endsWith(`/${path}`))
  );
}

function isRelative(path: string): boolean {
  return !/^(?:\/|~|[A-Za-z]:)/.test(path);
}

/** Arguments that say which part of a file is read. */
const RANGE = /^(?:offset|limit|start|end|startline|endline|viewrange|pages|range)$/;
const PATH = /^(?:filepath|absolutepath|path|file|filename|targetfile|notebookpath)$/;
/** A range that begins with the file: tools count lines from 0 or from 1. */
const BEGINNING = /^(?:offset|start|startline)="?[01]"?$/;

/** The file that a call reads, and the range of it. */
interface Subject {
  /** Path and range as the call has them. */
  readonly key: string;
  /** Normalised: with slashes, without `.` and `..`. */
  readonly path: string;
  /** Without a start at the beginning of the file, which is the default. */
  readonly range: string;
}

/** What a call reads; undefined for a call that does anything else, such as searching a file. */
function subjectOf(call: ToolUseBlock): Subject | undefined {
  const { input } = call;
  if (typeof input !== "object" || input === null || findRule(call).kind !== "read") return undefined;
  let path: string | undefined;
  const range: string[] = [];
  for (const [name, value] of Object.entries(input)) {
    const key = normalize(name);
    if (PATH.test(key) && typeof value === "string") path ??= value;
    else if (RANGE.test(key) && value !== null && value !== undefined) range.push(`${key}=${JSON.stringify(value)}`);
  }
  if (path === undefined) return undefined;
  const sorted = range.toSorted();
  return {
    key: [path, ...sorted].join(" "),
    path: normalizePath(path),
    range: sorted.filter((part) => !BEGINNING.test(part)).join(" "),
  };
}

function normalizePath(path: string): string {
  const parts: string[] = [];
  for (const [index, part] of path.replaceAll("\\", "/").split("/").entries()) {
    if (part === "." || (part === "" && index > 0)) continue;
    if (part === ".." && parts.length > 1) parts.pop();
    else parts.push(part);
  }
  return parts.join("/");
}
