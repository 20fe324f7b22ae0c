import type { Block, ToolUseBlock } from "../../message/message.ts";
import { stringsIn } from "../../text/message-texts.ts";
import { blockTexts } from "./block-texts.ts";
import { cutPassages, type Stretch } from "./cut-passages.ts";
import { listTerms, type TermList } from "./term-list.ts";

/** A passage of a block with its terms, the same in every log that has the block. */
export interface Passage extends Stretch {
  readonly source: string;
  readonly terms: TermList;
}

const passagesByOwner = new WeakMap<object, readonly Passage[]>();

/**
 * The passages of a block that have terms. Cached by `owner`, the object that holds the text: the block, or the message
 * whose content is a string. A folded copy of a message has the same blocks.
 */
export function prepareBlock(block: Block | string, owner: object): readonly Passage[] {
  const known = passagesByOwner.get(owner);
  if (known !== undefined) return known;
  const passages: Passage[] = [];
  for (const source of blockTexts(block)) {
    for (const stretch of cutPassages(source, { isProse: isProse(block) })) {
      const terms = listTerms(source.slice(stretch.start, stretch.end));
      if (terms.length > 0) passages.push({ ...stretch, source, terms });
    }
  }
  passagesByOwner.set(owner, passages);
  return passages;
}

function isProse(block: Block | string): boolean {
  return typeof block === "string" || block.type === "text";
}

const MAX_ARGUMENT_CHARACTERS = 200;
const MAX_CONTEXT_CHARACTERS = 600;

const contexts = new WeakMap<ToolUseBlock, TermList>();

/** The terms of a call's tool and short arguments, by which its result is found too. */
export function callContext(call: ToolUseBlock): TermList {
  const known = contexts.get(call);
  if (known !== undefined) return known;
  let text = call.name.slice(0, MAX_ARGUMENT_CHARACTERS);
  for (const argument of stringsIn(call.input)) {
    if (argument.length > MAX_ARGUMENT_CHARACTERS) continue;
    text += ` ${argument}`;
    if (text.length > MAX_CONTEXT_CHARACTERS) break;
  }
  const context = listTerms(text);
  contexts.set(call, context);
  return context;
}
