import type { Message } from "../message/message.ts";
import type { PassageKind } from "./passages/block-texts.ts";

/** One excerpt of the log. */
export interface RecallHit {
  /** The name by which `expand` gives the whole message: its id, or `#` and its index in the log where it has none. */
  readonly messageId: string;
  /** The name in the text of `renderRecall`, which `expand` takes too: the message's id or, where that is long, its number in ledgers. */
  readonly shortId: string;
  readonly messageIndex: number;
  /** The id of the fold that hides it, which `expand` takes too; undefined where the view shows it. */
  readonly foldId: string | undefined;
  readonly role: Message["role"];
  /** The speaker's name, where several messages of the log have it before their text or in their field `name`. */
  readonly speaker?: string | undefined;
  /** When it was said, in milliseconds since the epoch; undefined where the message has no time. */
  readonly ts: number | undefined;
  readonly kind: PassageKind;
  /** Only for a call or its result. */
  readonly toolName: string | undefined;
  /** The lines of the text that it was taken from, counted from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
  /** The offset of its first character in that text. */
  readonly offset: number;
  /** Verbatim. */
  readonly text: string;
  /** Higher is better; scores can only be compared within one answer. */
  readonly score: number;
  /** As `renderRecall` shows it, with its heading, but without the fence around it. */
  readonly tokens: number;
}
