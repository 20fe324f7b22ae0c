import { foldsShownIn, isStandIn, markerId, summaryId } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { count } from "./describe-decision.ts";
import type { JsonPath } from "./locate-byte.ts";

/** The first byte in which two bodies differ. */
export interface BodyDifference {
  readonly byte: number;
  readonly path: JsonPath;
  /** The text around it, in each body. */
  readonly excerpts: readonly [string, string];
  /** The byte in each body; undefined where a body has ended. */
  readonly bytes: readonly [number | undefined, number | undefined];
}

export interface ComparedRequest {
  readonly view: readonly Message[];
  /** Whether its body is what the agent sent, byte for byte. */
  readonly isAsItCame: boolean;
}

export interface DifferenceCause {
  readonly where: "fields" | "message" | "end";
  readonly field: string | undefined;
  /** The index in the list of messages on the wire. */
  readonly item: number | undefined;
  /** `none`: the second request only adds to the first one, or a mark for the provider's cache moved, which changes nothing that is cached. */
  readonly cause: "agent" | "us" | "none";
  readonly foldId: string | undefined;
  /** The first message of the second view that differs from the first view. */
  readonly message: Message | undefined;
  readonly sentence: string;
}

const [COMMA, CLOSE_LIST] = [0x2c, 0x5d];
const CACHE_MARK = "cache_control";

/** Explains the first difference between two successive requests. `listPaths` are the paths at which a body may have its list of messages. */
export function explainDifference(
  difference: BodyDifference,
  [before, after]: readonly [ComparedRequest, ComparedRequest],
  listPaths: readonly (readonly string[])[],
): DifferenceCause {
  const { path, bytes } = difference;
  const listPath = listPaths.find((names) => names.every((name, at) => path[at] === name));
  const key = listPath === undefined ? undefined : path[listPath.length];
  const item = typeof key === "number" ? key : undefined;
  const field = path.length === 0 ? undefined : String(path[0]);
  const isBehindItem = item !== undefined && path.length === (listPath?.length ?? 0) + 1;
  const location = { field, item, foldId: undefined, message: undefined };
  if (isBehindItem && bytes[0] === CLOSE_LIST && bytes[1] === COMMA) {
    return {
      ...location,
      where: "end",
      cause: "none",
      sentence: "The second request only goes on where the first one ended.",
    };
  }
  if (item === undefined)
    return {
      ...location,
      where: "fields",
      ...byMarks(difference, [before, after], `the field ${JSON.stringify(field ?? "")}`),
    };
  const index = firstDifference(before.view, after.view);
  const [old, message] = [before.view[index], after.view[index]];
  const hiding = foldOf(message) ?? foldHiding(old, before.view, after.view);
  const foldId = hiding ?? foldOf(old) ?? foldHiding(message, after.view, before.view);
  if (foldId === undefined)
    return { ...location, message, where: "message", ...byMarks(difference, [before, after], "a message") };
  const sentence =
    hiding === undefined
      ? `The fold ${foldId} was undone: what it hid is sent again, so the provider's cache holds only what is before it.`
      : `The fold ${foldId} of ours shows something else from here on, so the provider's cache holds only what is before it.`;
  return { ...location, message, where: "message", cause: "us", foldId, sentence };
}

/**
 * Blames a difference on the agent, unless a cache breakpoint is near and we changed one of the bodies: then the breakpoint may be the agent's own, which
 * moves with each turn, or ours, and the bodies do not tell which.
 */
function byMarks(
  { byte, excerpts }: BodyDifference,
  requests: readonly [ComparedRequest, ComparedRequest],
  what: string,
): Pick<DifferenceCause, "cause" | "sentence"> {
  const isMarked = excerpts.some((excerpt) => excerpt.includes(CACHE_MARK));
  const mayBeOurs = isMarked && requests.some(({ isAsItCame }) => !isAsItCame);
  if (mayBeOurs)
    return {
      cause: "none",
      sentence: `A mark for the provider's cache stands elsewhere, in ${what}: the agent's own, or ours. What is cached stays so.`,
    };
  return { cause: "agent", sentence: `The agent sent ${what} in other words, at byte ${count(byte)}.` };
}

function firstDifference(one: readonly Message[], other: readonly Message[]): number {
  let index = 0;
  while (index < one.length && index < other.length && isSameMessage(one[index], other[index])) index++;
  return index;
}

export function isSameMessage(one: Message | undefined, other: Message | undefined): boolean {
  if (one === other) return true;
  return one?.role === other?.role && JSON.stringify(one?.content) === JSON.stringify(other?.content);
}

/**
 * The fold of which only the other view shows a stand-in; undefined where the other view has the message too: messages that a fold keeps
 * may be before its stand-in.
 */
function foldHiding(
  message: Message | undefined,
  own: readonly Message[],
  other: readonly Message[],
): string | undefined {
  if (message === undefined || foldOf(message) !== undefined || other.some((each) => isSameMessage(each, message)))
    return undefined;
  const ownFolds = new Set(own.map(foldOf));
  return other.map(foldOf).find((foldId) => !ownFolds.has(foldId));
}

function foldOf(message: Message | undefined): string | undefined {
  if (message === undefined) return undefined;
  if (isStandIn(message)) return summaryId(message) ?? markerId(message);
  return foldsShownIn(message)[0]?.foldId;
}

/** The provider's report on the second of two requests with a common prefix. */
export interface CacheReport {
  readonly cacheReadTokens: number;
  /** The length of the common prefix. */
  readonly sharedTokens: number;
  /** The time between the two requests. */
  readonly pauseMs: number;
  /** How long the provider keeps an unused prompt; 0 where it has no cache. */
  readonly cacheTtlMs: number;
}

/** No provider caches shorter prompts. */
const LEAST_CACHED_TOKENS = 1_024;
/** Caches end at block boundaries, so a hit may miss some of the shared tokens; with less than this share it is a miss. */
const FOUND_SHARE = 0.5;

/** Why the provider read less from its cache than two requests share, as a sentence; undefined where it was a hit. */
export function explainCacheMiss(report: CacheReport): string | undefined {
  const { cacheReadTokens, sharedTokens, pauseMs, cacheTtlMs } = report;
  const isExpected = cacheTtlMs > 0 && sharedTokens >= LEAST_CACHED_TOKENS;
  if (!isExpected || cacheReadTokens >= FOUND_SHARE * sharedTokens) return undefined;
  const found = `Of ${count(sharedTokens)} tokens that both share, the provider read ${count(cacheReadTokens)} from its cache`;
  if (pauseMs <= cacheTtlMs) return `${found}, though it should still have had them.`;
  const [minutes, kept] = [Math.round(pauseMs / 60_000), Math.round(cacheTtlMs / 60_000)];
  return `${found}: ${count(minutes)} minutes lie between them, and it keeps a prompt for ${count(kept)}.`;
}
