import { tryParseJson } from "../../core/json/parse-json.ts";
import { isRecord } from "../../core/json/read-json.ts";
import type { Message } from "../../core/message/message.ts";
import { sha256Of } from "./journal/record-chain.ts";
import type { SavedLearned } from "./learned-tokens.ts";
import type { FoldPlace } from "./log-state.ts";
import type { SavedGrowth } from "./requests/conversation-growth.ts";
import type { SavedRequests } from "./requests/request-history.ts";

/** What the records of a session come to, as JSON can hold it: all that is needed to go on with it, but nothing of what folds hide. */
export interface SavedReplay {
  /** How many records it stands for. */
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
}

/** A saved replay, and the records that it stands for by their hash chain. */
export interface SavedState {
  readonly replay: SavedReplay;
  /** The head of the chain before the last of its records, and after it. */
  readonly headBefore: string;
  readonly head: string;
}

/** Raised with every change of what is saved or of what it means: states of other formats are not read. */
const FORMAT = 1;

/** The text of a state, with a hash of it in front. */
export function writeState(state: SavedState): string {
  const json = JSON.stringify({ format: FORMAT, ...state });
  return `${sha256Of(json)}\n${json}`;
}

/** Undefined where the text is damaged, or another version of the package wrote it. */
export function readState(text: string): SavedState | undefined {
  const end = text.indexOf("\n");
  const json = text.slice(end + 1);
  if (end < 0 || sha256Of(json) !== text.slice(0, end)) return undefined;
  const state = tryParseJson(json);
  return isState(state) ? state : undefined;
}

/** What has our hash was written by us: only the format may be another. */
function isState(value: unknown): value is SavedState {
  return isRecord(value) && value.format === FORMAT && isRecord(value.replay);
}
