import type { CellState, Run, StrataColumn, StrataFold, StrataRow } from "../api/strata-types.ts";
import { counted, usd, wholeNumber } from "./format.ts";
import { oneLine } from "./safe-text.ts";

export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** The run that covers a request; undefined where the message was no part of it. Runs are in order. */
export function runAt({ runs }: Pick<StrataRow, "runs">, column: number): Run | undefined {
  let [low, high] = [0, runs.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const run = runs[middle];
    if (run === undefined) return undefined;
    if (column < run[0]) high = middle - 1;
    else if (column > run[1]) low = middle + 1;
    else return run;
  }
  return undefined;
}

/** The index of the first run that ends at a request or behind it. */
export function firstRunFrom({ runs }: Pick<StrataRow, "runs">, column: number): number {
  let [low, high] = [0, runs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((runs[middle]?.[1] ?? 0) < column) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A row of the picture: a message, or one block of it. */
export interface ShownRow extends StrataRow {
  /** Which of the blocks of its message it is; undefined where it is the message. */
  readonly block?: number;
}

/** The rows of the blocks of a message, where they are loaded: each looks like a message. */
export function blockRows(row: StrataRow): readonly ShownRow[] {
  const { blocks = [], nowState: _, nowFoldId: __, important: ___, toolName: ____, ...rest } = row;
  return blocks.map((shown, block) => ({ ...rest, ...shown, blockCount: blocks.length, block }));
}

/**
 * A row with what the next request would show, in the column right of the newest one. What the newest request did not show was brought
 * back since. Where the provider caches, it has what it was sent last.
 */
export function withNow<Row extends StrataRow>(row: Row, requests: number, isCaching = false): Row {
  const { nowState, nowFoldId } = row;
  if (nowState === undefined) return row;
  const newest = runAt(row, requests - 1)?.[2];
  const state = nowState === "sent" ? visibleAfter(newest, isCaching) : nowState;
  const now: Run = nowFoldId === undefined ? [requests, requests, state] : [requests, requests, state, nowFoldId];
  return { ...row, nowState: state, runs: [...row.runs, now] };
}

/** How the next request shows a message that nothing hides. */
function visibleAfter(newest: CellState | undefined, isCaching: boolean): CellState {
  if (newest === "hidden" || newest === "stand-in" || newest === "restored") return "restored";
  return isCaching && newest !== undefined ? "cached" : "sent";
}

export const STATE_NAMES: Readonly<Record<CellState, string>> = {
  sent: "sent",
  cached: "cached",
  "stand-in": "stand-in",
  hidden: "hidden",
  restored: "brought back",
};

export const STATE_MEANINGS: Readonly<Record<CellState, string>> = {
  sent: "paid at the full price",
  cached: "read from the provider's cache, at a fraction of the price",
  "stand-in": "a short text is in its place",
  hidden: "not sent, covered by a stand-in",
  restored: "hidden before, and sent again",
};

const KIND_NAMES: Readonly<Record<string, string>> = {
  text: "text",
  "tool-call": "tool call",
  "tool-result": "tool result",
  reasoning: "reasoning",
  image: "image",
  summary: "stand-in",
};

export function kindName({ kind, toolName }: Pick<StrataRow, "kind" | "toolName">): string {
  const name = KIND_NAMES[kind] ?? kind;
  return toolName === undefined ? name : `${name}, ${oneLine(toolName, 40)}`;
}

/** Who said it, for people: a tool's result travels as a user's message and is none. */
export function speakerOf({ role, kind, standIn }: Pick<StrataRow, "role" | "kind" | "standIn">): string {
  if (standIn === true) return "Palimpsest";
  if (kind === "tool-result") return "tool";
  return role === "user" ? "you" : "model";
}

export interface CellContext {
  readonly requests: number;
  readonly column: StrataColumn | undefined;
  readonly folds: ReadonlyMap<string, StrataFold>;
}

/** "Message 5", or "Message 5, block 2 of 3". */
function nameOf({ index, block, blockCount }: ShownRow): string {
  const message = `Message ${index + 1}`;
  return block === undefined ? message : `${message}, block ${block + 1} of ${blockCount}`;
}

/** One cell in a sentence or two: what a hover and a screen reader tell. */
export function cellText(row: ShownRow, column: number, { requests, folds }: CellContext): string {
  const run = runAt(row, column);
  const blocks = row.block === undefined && row.blockCount !== undefined ? `, ${counted(row.blockCount, "block")}` : "";
  const message = `${nameOf(row)}, ${speakerOf(row)}, ${kindName(row)}${blocks}, ${counted(row.tokens, "token")}`;
  const request = column >= requests ? "the next request" : `request ${column + 1}`;
  if (run === undefined) return `${message}: not part of ${request}.`;
  const [, , state, foldId] = run;
  const fold = foldId === undefined ? undefined : folds.get(foldId);
  const by =
    fold === undefined
      ? ""
      : ` Folded by ${kindOfFold(fold.kind)}${fold.cause === undefined ? "" : `, because ${causeText(fold.cause)}`}.`;
  const soon = state === "cached" && column >= requests ? ", if it comes while the cache is warm" : "";
  return `${message}: ${STATE_NAMES[state]} in ${request}, ${STATE_MEANINGS[state]}${soon}.${by}`;
}

const CAUSES: Readonly<Record<string, string>> = {
  pays: "it saves more than it costs",
  cold: "the cache was cold: rewriting was free",
  threshold: "the window was as full as it may become",
  limit: "the request would not have fitted",
  request: "somebody asked for it in a request",
  hand: "somebody asked for it",
};

export function causeText(cause: string): string {
  return CAUSES[cause] ?? cause;
}

/** A request in a sentence or two, with the folds that it was the first to show. */
export function columnText(column: StrataColumn, folds: readonly StrataFold[]): string {
  const cached =
    column.cacheReadTokens === undefined ? "" : `, ${wholeNumber(column.cacheReadTokens)} of them from the cache`;
  const kinds = [...new Set(folds.map(({ kind }) => kindOfFold(kind)))];
  const causes = [...new Set(folds.map(({ cause = column.reason }) => causeText(cause)))];
  const folded = kinds.length === 0 ? "" : ` Folded before it: ${kinds.join(", ")}, because ${causes.join(", and ")}.`;
  return `Request ${column.index + 1}: ${wholeNumber(column.promptTokens)} tokens${cached}.${folded}`;
}

const FOLD_KINDS: Readonly<Record<string, string>> = {
  condense: "condense (a summary stands for messages)",
  truncate: "truncate (a marker stands for messages)",
  clear: "clear (a line stands for an old tool result)",
  dedupe: "dedupe (a pointer stands for a repeated read)",
  clip: "clip (the head and the tail stand for a long block)",
};

/** The kind of a fold, with what it means. Unknown where the fold no longer holds. */
export function kindOfFold(kind: string | undefined): string {
  return kind === undefined ? "a fold that was undone since" : (FOLD_KINDS[kind] ?? kind);
}

export interface Price {
  readonly cachedUsd?: number | undefined;
  readonly coldUsd?: number | undefined;
}

/** What more in a request costs, with the cache and without. */
export function priceText({ cachedUsd, coldUsd }: Price): string {
  if (cachedUsd === undefined && coldUsd === undefined) return "at a price that is not known.";
  return `which then costs ${usd(cachedUsd)} more if the provider's cache is warm, because everything after it is paid in full once, and ${usd(coldUsd)} more if it is cold.`;
}
