/**
 * The one message model. Adapters translate every provider's format to and from it.
 *
 * Messages are never mutated, and fields that are not named here travel along untouched: all code that makes a changed
 * copy of a message or a block spreads the original first.
 */

/** One entry of the log, and (with its folds applied) of the view. */
export interface Message {
  readonly role: "user" | "assistant";
  readonly content: Content;
  /** Unique in its log. Problems and pointers name the message by its id or, without one, by its place or its tool call. */
  readonly id?: string;
  /** When it was said, in milliseconds since the epoch. */
  readonly ts?: number;
  /** Marked by a person: stays visible as long as anything else can be hidden instead. */
  readonly important?: boolean;
  /** By each of these a store finds the message when a client sends it again. Lower case, without white space. */
  readonly keys?: readonly string[];

  /** This message is a summary: it stands for every message whose `condenseParent` is its `condenseId`. */
  readonly isSummary?: boolean;
  readonly condenseId?: string;
  /** Hidden: replaced by the summary with that `condenseId`. */
  readonly condenseParent?: string;

  /**
   * Only on a summary that is our account of a provider's own compaction, and is never sent. "provider": it stands for the messages that
   * the compaction right behind it replaced. "restored": it stands for that compaction, once those messages are shown again.
   */
  readonly compaction?: "provider" | "restored";
  /** The provider kept this message when it compacted what came before: its compaction comes right behind. */
  readonly isRetained?: boolean;

  /** This message is a marker: it stands where messages were hidden by truncation. */
  readonly isTruncationMarker?: boolean;
  readonly truncationId?: string;
  /** Hidden: replaced by the marker with that `truncationId`. */
  readonly truncationParent?: string;

  /** Blocks of this message that the view shows as stand-ins; where several folds name one block, the last one's stand-in. */
  readonly folds?: readonly BlockFold[];
}

export type Content = string | readonly Block[];

/** Narrow with {@link isKnownBlock}, then `switch` without a default: a new known type then fails to compile. */
export type Block = KnownBlock | UnknownBlock;

export type KnownBlock = TextBlock | ImageBlock | ToolUseBlock | ToolResultBlock | ReasoningBlock;

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

export interface ImageBlock {
  readonly type: "image";
  readonly source: ImageSource;
}

export type ImageSource =
  | { readonly type: "base64"; readonly media_type: string; readonly data: string }
  | { readonly type: "url"; readonly url: string };

export interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ToolResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  /** Absent where a tool returned nothing. */
  readonly content?: Content;
  readonly is_error?: boolean;
}

/** What the model thought. Whatever signature the provider attached is an unknown field, so it is never touched. */
export interface ReasoningBlock {
  readonly type: "reasoning";
  readonly text: string;
}

/**
 * A block of a type that we do not know, or one with more fields than we know: carried through as it is. The second form
 * lets literals with such fields compile.
 */
export type UnknownBlock = { readonly type: string } | { readonly type: string; readonly [field: string]: unknown };

/** Why one block is shown as a stand-in. The original stays in `content`, underneath. */
export interface BlockFold {
  /** Shared by all blocks that one act of folding hid. */
  readonly foldId: string;
  readonly kind: BlockFoldKind;
  /** Index into `content`; 0 where the content is a string. */
  readonly blockIndex: number;
  /** What the view shows instead: computed once, then replayed as the same bytes for as long as the fold lives. */
  readonly standIn: Block;
  /** Tokens of the original minus tokens of the stand-in, when it was made. */
  readonly hiddenTokens: number;
  /** The name of the file that holds the whole original, where the stand-in names its path. */
  readonly file?: string;
  /** Only on a notice: how full its text says that the window is. */
  readonly usedPercent?: number;
}

/** `resolve` shows what an agent's pointer refers to, and `notice` the whole block with a line after it; the others show less than their block. */
export type BlockFoldKind = "clear" | "dedupe" | "clip" | "resolve" | "notice";

/** Counts the tokens of one message's content. */
export type CountTokens = (content: Content) => number;

const KNOWN_TYPES = {
  text: true,
  image: true,
  tool_use: true,
  tool_result: true,
  reasoning: true,
} satisfies Record<KnownBlock["type"], true>;

/**
 * Whether a block is of a type that this package understands. Blocks of other types are kept in the log and sent unchanged.
 * @example
 * ```ts
 * import { type Block, isKnownBlock } from "palimpsest";
 * const blocks: Block[] = [{ type: "text", text: "hello" }, { type: "server_tool_use", id: "s1" }];
 * console.log(blocks.map(isKnownBlock)); // [ true, false ]
 * ```
 */
export function isKnownBlock(block: Block): block is KnownBlock {
  return Object.hasOwn(KNOWN_TYPES, block?.type);
}
