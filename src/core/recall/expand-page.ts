import { assert, assertNumber, assertObject } from "../assert.ts";
import { type Block, type CountTokens, isKnownBlock, type Message } from "../message/message.ts";
import { contentBlocks } from "../message/tool-pairs.ts";
import { resultText } from "../standing/result-text.ts";
import { serialize } from "../tokens/serialize.ts";

export interface ExpandOptions {
  /** A page is never larger, except one with a single image or unknown block that is larger itself. */
  readonly budgetTokens?: number | undefined;
  /** A cursor: the `next` of the page before. @default the beginning */
  readonly from?: string | undefined;
}

/** A part of what a fold hides, or of a message. */
export interface ExpandedPage {
  /** As they were said; of a message that is too large for the page, a part, cut after a line or a word of its text. */
  readonly messages: readonly Message[];
  readonly tokens: number;
  /** The tokens of all pages together. */
  readonly totalTokens: number;
  /** Pass it as `from` for the next page; absent on the last one. */
  readonly next?: string;
}

/** Less room than this is left empty: a few words of a long text are of no use. */
const LEAST_PART_TOKENS = 32;

interface PageOptions {
  readonly budgetTokens: number;
  readonly from?: string | undefined;
  readonly countTokens: CountTokens;
}

/** The page at `from`: as many whole messages as fit, then the part of the next one that fits. */
export function expandPage(whole: readonly Message[], options: PageOptions): ExpandedPage {
  assertObject("options", options);
  const { budgetTokens, countTokens } = options;
  assertNumber("options.budgetTokens", budgetTokens, LEAST_PART_TOKENS);
  const totalTokens = whole.reduce((sum, { content }) => sum + countTokens(content), 0);
  const messages: Message[] = [];
  let tokens = 0;
  let place = readPlace(options.from, whole);
  while (place.message < whole.length) {
    const message = whole[place.message];
    if (message === undefined) break;
    const rest = restOf(message, place);
    const restTokens = countTokens(rest.content);
    if (tokens + restTokens <= budgetTokens) {
      messages.push(rest);
      tokens += restTokens;
      place = { message: place.message + 1, block: 0, character: 0 };
      continue;
    }
    const part = partOf(message, place, { budgetTokens: budgetTokens - tokens, countTokens, isFirst: tokens === 0 });
    if (part.blocks.length > 0) {
      messages.push({ ...message, content: part.blocks });
      tokens += countTokens(part.blocks);
    }
    place = part.end;
    break;
  }
  const isLast = place.message >= whole.length;
  return { messages, tokens, totalTokens, ...(isLast ? {} : { next: writePlace(place) }) };
}

/** A position in the expanded messages. */
interface Place {
  readonly message: number;
  readonly block: number;
  /** Offset in the block's text. */
  readonly character: number;
}

/** The cursor of a position. */
function writePlace({ message, block, character }: Place): string {
  return `${message}.${block}.${character}`;
}

/** The position of a cursor; throws where the cursor names none. */
function readPlace(from: string | undefined, whole: readonly Message[]): Place {
  const allowed = "what the page before gave as next";
  if (from === undefined) return { message: 0, block: 0, character: 0 };
  const [, message, block, character] =
    (typeof from === "string" && /^(\d{1,9})\.(\d{1,9})\.(\d{1,12})$/.exec(from)) || [];
  const place = { message: Number(message), block: Number(block), character: Number(character) };
  const content = whole[place.message]?.content;
  const blocks = content === undefined ? [] : blocksOf(content);
  const at = blocks[place.block];
  assert(at !== undefined && place.character <= (textOf(at)?.length ?? 0), "options.from", from, allowed);
  return place;
}

function blocksOf(content: Message["content"]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : contentBlocks(content);
}

/** The message from this position on. */
function restOf(message: Message, { block, character }: Place): Message {
  if (block === 0 && character === 0) return message;
  const [first, ...others] = blocksOf(message.content).slice(block);
  if (first === undefined) return message;
  return { ...message, content: [character === 0 ? first : sliceOf(first, character), ...others] };
}

interface PartOptions {
  readonly budgetTokens: number;
  readonly countTokens: CountTokens;
  /** Whether the page is still empty, so that it must take something. */
  readonly isFirst: boolean;
}

/** The blocks of a message that fit, the last of them cut where it does not fit whole. */
function partOf(
  message: Message,
  start: Place,
  { budgetTokens, countTokens, isFirst }: PartOptions,
): { readonly blocks: readonly Block[]; readonly end: Place } {
  const all = blocksOf(message.content);
  const taken: Block[] = [];
  let left = budgetTokens;
  for (let index = start.block; index < all.length; index++) {
    const block = all[index];
    if (block === undefined) break;
    const from = index === start.block ? start.character : 0;
    const rest = from === 0 ? block : sliceOf(block, from);
    const tokens = countTokens([rest]);
    if (tokens <= left) {
      taken.push(rest);
      left -= tokens;
      continue;
    }
    const cut = cutBlock(block, from, { budgetTokens: left, countTokens });
    if (cut !== undefined) {
      const here = { message: start.message, block: index, character: cut.end };
      return { blocks: [...taken, cut.block], end: cut.isAll ? placeAfter(start.message, index, all.length) : here };
    }
    // A block that cannot be cut gets a page of its own, however large it is.
    if (isFirst && taken.length === 0) {
      return { blocks: [rest], end: placeAfter(start.message, index, all.length) };
    }
    return { blocks: taken, end: { message: start.message, block: index, character: from } };
  }
  return { blocks: taken, end: { message: start.message + 1, block: 0, character: 0 } };
}

/** The position behind a block. */
function placeAfter(message: number, block: number, blocks: number): Place {
  const isLast = block + 1 >= blocks;
  return isLast ? { message: message + 1, block: 0, character: 0 } : { message, block: block + 1, character: 0 };
}

/** As much of a block's text as fits; undefined where the block has no text, or too little of it would fit. */
function cutBlock(
  block: Block,
  from: number,
  { budgetTokens, countTokens }: Pick<PartOptions, "budgetTokens" | "countTokens">,
): { readonly block: Block; readonly end: number; readonly isAll: boolean } | undefined {
  const text = textOf(block);
  if (text === undefined || budgetTokens < LEAST_PART_TOKENS) return undefined;
  // Few texts have more than eight characters to a token; a guess that is too long is shortened in proportion.
  let end = Math.min(text.length, from + 8 * Math.floor(budgetTokens));
  while (end > from) {
    end = goodEnd(text, from, end);
    const cut = sliceOf(block, from, end);
    const tokens = countTokens([cut]);
    if (tokens <= budgetTokens) return { block: cut, end, isAll: end === text.length };
    end = from + Math.floor(((end - from) * budgetTokens * 0.95) / tokens);
  }
  return undefined;
}

/** Where to cut near `end`: after a line that ends in the second half, else after a word, and never inside a character. */
function goodEnd(text: string, from: number, end: number): number {
  if (end >= text.length) return text.length;
  for (const separator of ["\n", " "]) {
    const behind = text.lastIndexOf(separator, end - 1) + 1;
    if (behind > from + (end - from) / 2) return behind;
  }
  const isInside = /[\uDC00-\uDFFF]/.test(text[end] ?? "") && /[\uD800-\uDBFF]/.test(text[end - 1] ?? "");
  return isInside ? end - 1 : end;
}

/** The text of a block that may be cut: of a call, its arguments; undefined for images and unknown blocks. */
function textOf(block: Block): string | undefined {
  if (!isKnownBlock(block)) return undefined;
  switch (block.type) {
    case "text":
    case "reasoning":
      return block.text;
    case "tool_result":
      return resultText(block);
    case "tool_use":
      return serialize(block.input);
    case "image":
      return undefined;
  }
}

/** A part of a block's text. A part of a result is a result; a part of any other block is plain text, as half a call is no call. */
function sliceOf(block: Block, start: number, end?: number): Block {
  const text = (textOf(block) ?? "").slice(start, end);
  if (!isKnownBlock(block) || block.type !== "tool_result") return { type: "text", text };
  return { ...block, content: text };
}
