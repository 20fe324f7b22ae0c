import { tryParseJson } from "../../core/json/parse-json.ts";
import { isRecord } from "../../core/json/read-json.ts";
import type { Message } from "../../core/message/message.ts";
import { sha256Of } from "./journal/record-chain.ts";
import type { SavedLearned } from "./learned-tokens.ts";
import type { SavedOutline } from "./log-outline.ts";
import type { FoldPlace } from "./log-place.ts";
import type { SessionEvent } from "./report.ts";
import type { SavedGrowth } from "./requests/conversation-growth.ts";
import type { SavedRequests } from "./requests/request-history.ts";

/** What the records of a session come to, as JSON can hold it: all that is needed to continue the session, without what folds hide. */
export interface SavedReplay {
  /** How many records the state stands for. */
  readonly version: number;
  readonly rewriteVersion: number;
  /** How many messages were said, hidden ones too. */
  readonly saidMessages: number;
  /** The messages of the log that the view shows, with their folds. */
  readonly visible: readonly Message[];
  readonly appendedMessages: number;
  readonly lastFold?: FoldPlace | undefined;
  readonly hiddenResults: readonly string[];
  readonly learned: SavedLearned;
  readonly requests: SavedRequests;
  readonly growth: SavedGrowth;
  /** The events that decide what is sent, of all records: see `isLasting`. */
  readonly lastingEvents: readonly SessionEvent[];
  /** Only in sessions that use outlines. */
  readonly outline?: SavedOutline | undefined;
}

/** A saved replay, and the hash chain of the records that it stands for. */
export interface SavedState {
  readonly replay: SavedReplay;
  /** The head of the chain before the last of these records, and after it. */
  readonly headBefore: string;
  readonly head: string;
}

/** Raised with every change to what is saved or what it means: states of another format are ignored. */
const FORMAT = 2;

/** A state as text: a hash of its JSON, a line break, and the JSON. */
export function writeState(state: SavedState): string {
  const json = JSON.stringify({ format: FORMAT, ...state });
  return `${sha256Of(json)}\n${json}`;
}

/** Reads what `writeState` wrote. Undefined where the text is damaged, or has another format. */
export function readState(text: string): SavedState | undefined {
  const end = text.indexOf("\n");
  const json = text.slice(end + 1);
  if (end < 0 || sha256Of(json) !== text.slice(0, end)) return undefined;
  const state = tryParseJson(json);
  return isState(state) ? state : undefined;
}

/** The hash is right, so we wrote the text: only its format may be another. */
function isState(value: unknown): value is SavedState {
  return isRecord(value) && value.format === FORMAT && isRecord(value.replay);
}
