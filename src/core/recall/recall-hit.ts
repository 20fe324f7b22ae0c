import type { Message } from "../message/message.ts";
import type { PassageKind } from "./passages/block-texts.ts";

/** One excerpt of the log. */
export interface RecallHit {
  /** What `expand` takes for the whole message: its id, or `#` and its place in the log where it has none. */
  readonly messageId: string;
  /** What `renderRecall` calls it, and `expand` takes too: its id, or where that is long, the number of it that ledgers name as well. */
  readonly shortId: string;
  readonly messageIndex: number;
  /** The fold that hides it, which `expand` takes too; undefined where the view shows it. */
  readonly foldId: string | undefined;
  readonly role: Message["role"];
  /** When it was said, in milliseconds since the epoch; undefined where the message does not tell. */
  readonly ts: number | undefined;
  readonly kind: PassageKind;
  /** Of a call or its result. */
  readonly toolName: string | undefined;
  /** The lines of the text that it was taken from, counted from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** The place of its first character in that text. */
  readonly offset: number;
  /** Verbatim. */
  readonly text: string;
  /** Higher is better; only to be compared within one answer. */
  readonly score: number;
  /** As `renderRecall` shows it: its heading counts too, the fence around several does not. */
  readonly tokens: number;
}
