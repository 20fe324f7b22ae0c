import { foldsShownIn, isStandIn, markerId, summaryId } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { count } from "./describe-decision.ts";
import type { JsonPath } from "./locate-byte.ts";

/** The first byte in which two bodies differ. */
export interface BodyDifference {
  readonly byte: number;
  readonly path: JsonPath;
  /** A little before and behind it, of both. */
  readonly excerpts: readonly [string, string];
  /** The bytes themselves; undefined where a body has ended. */
  readonly bytes: readonly [number | undefined, number | undefined];
}

export interface ComparedRequest {
  readonly view: readonly Message[];
  /** Whether it is what the agent sent, byte for byte. */
  readonly isAsItCame: boolean;
}

export interface DifferenceCause {
  readonly where: "fields" | "message" | "end";
  readonly field: string | undefined;
  /** Of the list of messages on the wire. */
  readonly item: number | undefined;
  /** `none`: the second request only goes on where the first one ended. */
  readonly cause: "agent" | "us" | "none";
  readonly foldId: string | undefined;
  /** The first message that both views do not have alike, in the second one's view. */
  readonly message: Message | undefined;
  readonly sentence: string;
}

const [COMMA, CLOSE_LIST] = [0x2c, 0x5d];
const OUR_MARK = "cache_control";

/** Who caused that two requests in a row do not begin alike, and where. `listPaths`: where the list of messages is in a body. */
export function explainDifference(
  difference: BodyDifference,
  [before, after]: readonly [ComparedRequest, ComparedRequest],
  listPaths: readonly (readonly string[])[],
): DifferenceCause {
  const { path, bytes } = difference;
  const listPath = listPaths.find((names) => names.every((name, at) => path[at] === name));
  const place = listPath === undefined ? undefined : path[listPath.length];
  const item = typeof place === "number" ? place : undefined;
  const field = path.length === 0 ? undefined : String(path[0]);
  const goesOn = item !== undefined && path.length === (listPath?.length ?? 0) + 1;
  const found = { field, item, foldId: undefined, message: undefined };
  if (goesOn && bytes[0] === CLOSE_LIST && bytes[1] === COMMA) {
    return {
      ...found,
      where: "end",
      cause: "none",
      sentence: "The second request only goes on where the first one ended.",
    };
  }
  if (item === undefined)
    return {
      ...found,
      where: "fields",
      ...byMarks(difference, [before, after], `the field ${JSON.stringify(field ?? "")}`),
    };
  const index = firstDifference(before.view, after.view);
  const [old, message] = [before.view[index], after.view[index]];
  const hiding = foldOf(message) ?? foldHiding(old, before.view, after.view);
  const foldId = hiding ?? foldOf(old) ?? foldHiding(message, after.view, before.view);
  if (foldId === undefined)
    return { ...found, message, where: "message", ...byMarks(difference, [before, after], "a message") };
  const sentence =
    hiding === undefined
      ? `The fold ${foldId} was undone: what it hid is sent again, so the provider's cache holds only what is before it.`
      : `The fold ${foldId} of ours shows something else from here on, so the provider's cache holds only what is before it.`;
  return { ...found, message, where: "message", cause: "us", foldId, sentence };
}

/** Marks for the provider's cache are ours where a request is not what the agent sent. All else is the agent's own. */
function byMarks(
  { byte, excerpts }: BodyDifference,
  requests: readonly [ComparedRequest, ComparedRequest],
  what: string,
): Pick<DifferenceCause, "cause" | "sentence"> {
  const isMarked = excerpts.some((excerpt) => excerpt.includes(OUR_MARK));
  const isOurs = isMarked && requests.some(({ isAsItCame }) => !isAsItCame);
  if (isOurs)
    return {
      cause: "us",
      sentence: `A mark of ours for the provider's cache stands elsewhere, in ${what}; what is cached stays so.`,
    };
  return { cause: "agent", sentence: `The agent sent ${what} in other words, at byte ${count(byte)}.` };
}

function firstDifference(one: readonly Message[], other: readonly Message[]): number {
  let index = 0;
  while (index < one.length && index < other.length && isSame(one[index], other[index])) index++;
  return index;
}

function isSame(one: Message | undefined, other: Message | undefined): boolean {
  if (one === other) return true;
  return one?.role === other?.role && JSON.stringify(one?.content) === JSON.stringify(other?.content);
}

/** The fold that only the other view shows, where that view has the message nowhere: what a fold keeps may stand before its stand-in. */
function foldHiding(
  message: Message | undefined,
  own: readonly Message[],
  other: readonly Message[],
): string | undefined {
  if (message === undefined || foldOf(message) !== undefined || other.some((each) => isSame(each, message)))
    return undefined;
  const known = new Set(own.map(foldOf));
  return other.map(foldOf).find((foldId) => !known.has(foldId));
}

function foldOf(message: Message | undefined): string | undefined {
  if (message === undefined) return undefined;
  if (isStandIn(message)) return summaryId(message) ?? markerId(message);
  return foldsShownIn(message)[0]?.foldId;
}

/** What the provider reported for the second of two requests that begin alike. */
export interface CacheReport {
  /** Read from its cache, of what both share. */
  readonly cacheReadTokens: number;
  readonly sharedTokens: number;
  /** Between both requests. */
  readonly pauseMs: number;
  /** How long the provider keeps a prompt; 0 where it keeps none. */
  readonly cacheTtlMs: number;
}

/** A prompt of fewer tokens is cached by no provider. */
const LEAST_CACHED_TOKENS = 1_024;
/** Caches end at blocks: so much of what is shared is found, or the provider has lost it. */
const FOUND_SHARE = 0.5;

/** Why the provider read less from its cache than two requests share; undefined where it read what it could. */
export function explainCacheMiss(report: CacheReport): string | undefined {
  const { cacheReadTokens, sharedTokens, pauseMs, cacheTtlMs } = report;
  const isExpected = cacheTtlMs > 0 && sharedTokens >= LEAST_CACHED_TOKENS;
  if (!isExpected || cacheReadTokens >= FOUND_SHARE * sharedTokens) return undefined;
  const found = `Of ${count(sharedTokens)} tokens that both share, the provider read ${count(cacheReadTokens)} from its cache`;
  if (pauseMs <= cacheTtlMs) return `${found}, though it should still have had them.`;
  const [minutes, kept] = [Math.round(pauseMs / 60_000), Math.round(cacheTtlMs / 60_000)];
  return `${found}: ${count(minutes)} minutes lie between them, and it keeps a prompt for ${count(kept)}.`;
}
