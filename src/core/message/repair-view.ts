import { checkMessages } from "./check-messages.ts";
import { isCompactionBlock } from "./compaction-block.ts";
import { type Block, isKnownBlock, type Message, type TextBlock, type ToolResultBlock } from "./message.ts";
import { contentBlocks, isToolResult, isToolUse } from "./tool-pairs.ts";
import { isBlank, validateView } from "./validate-view.ts";

/** Texts that are shown where a provider demands something that was never said, or refuses what was. */
const STAND_INS = {
  emptyReply: "[The reply was empty.]",
  emptyTurn: "[The message was empty.]",
  opening: "[The conversation begins with the reply below.]",
  noResult: "[No result: the call was interrupted, or its result is further below.]",
  strayResult: "[A tool result that stands apart from its call:]",
  strayCall: "[A tool call whose id an earlier call has:]",
  misplaced: "[A block that stood in the wrong turn:]",
} as const;

/**
 * The view as every provider accepts it: what an aborted call, a lost, doubled or far result or an empty turn left behind is shown as
 * text, and a call that was never answered gets a result that says so. Nothing that was said is left out, and calls of the last turn stay
 * open, for they may still run. Returns the same array where there is nothing to repair.
 * @example
 * ```ts
 * import { repairView, validateView } from "palimpsest/core";
 * const view = repairView([
 *   { role: "user", content: "Go." },
 *   { role: "assistant", content: [{ type: "tool_use", id: "a", name: "read", input: {} }] },
 *   { role: "user", content: "Never mind." },
 * ]);
 * console.log(validateView(view).length); // 0
 * ```
 */
export function repairView(view: readonly Message[]): readonly Message[] {
  checkMessages(view);
  if (view.length === 0 || validateView(view).length === 0) return view;
  const opened: readonly Message[] =
    view[0]?.role === "user" || startsCompacted(view[0])
      ? view
      : [{ role: "user", content: STAND_INS.opening }, ...view];
  return repairTurns(opened);
}

/** Whether a message begins with a provider's own compaction, before which nothing may stand. */
function startsCompacted(message: Message | undefined): boolean {
  const [first] = contentBlocks(message?.content ?? "");
  return first !== undefined && isCompactionBlock(first);
}

/**
 * Repairs the last turns of a view without reading the turns before them: only a call whose id an earlier turn used goes unnoticed.
 * Returns the same array where there is nothing to repair.
 */
export function repairTurns(turns: readonly Message[]): readonly Message[] {
  const last = turns.length - 1;
  const repaired = repairPairs(turns.map((message, index) => repairContent(message, index === last)));
  const isSame = repaired.length === turns.length && repaired.every((message, index) => message === turns[index]);
  return isSame ? turns : repaired;
}

/** Drops blank texts, shows blocks that belong to the other role as text, and lets no content be empty. */
function repairContent(message: Message, isLast: boolean): Message {
  const isReply = message.role === "assistant";
  const blank = isReply ? STAND_INS.emptyReply : STAND_INS.emptyTurn;
  const { content } = message;
  if (typeof content === "string") {
    const text = isLast && isReply ? content.trimEnd() : content;
    const shown = isBlank(text) ? blank : text;
    return shown === content ? message : { ...message, content: shown };
  }
  const kept = content.filter((block) => !isBlankText(block)).map((block) => repairBlock(block, isReply));
  if (isLast && isReply) trimLastText(kept);
  const isSame = kept.length === content.length && kept.every((block, index) => block === content[index]);
  if (isSame && kept.length > 0) return message;
  return { ...message, content: kept.length === 0 ? [textBlock(blank)] : kept };
}

/** In place: a final assistant message must not end in white space. */
function trimLastText(blocks: Block[]): void {
  const last = blocks.at(-1);
  if (last === undefined || !isKnownBlock(last) || last.type !== "text" || last.text === last.text.trimEnd()) return;
  blocks[blocks.length - 1] = { ...last, text: last.text.trimEnd() };
}

function repairBlock(block: Block, isReply: boolean): Block {
  if (!isKnownBlock(block)) return block;
  switch (block.type) {
    case "text":
    case "image":
      return block;
    case "reasoning":
    case "tool_use":
      return isReply ? block : asText(STAND_INS.misplaced, block);
    case "tool_result":
      return isReply ? asText(STAND_INS.misplaced, block) : repairResult(block);
  }
}

/** Drops blank items of a result, and shows calls and results inside it as text. */
function repairResult(block: ToolResultBlock): ToolResultBlock {
  if (block.content === undefined || typeof block.content === "string") return block;
  const items = block.content
    .filter((item) => !isBlankText(item))
    .map((item) => {
      if (!isKnownBlock(item) || item.type === "text" || item.type === "image") return item;
      return asText(STAND_INS.misplaced, item);
    });
  const isSame = items.length === block.content.length && items.every((item, index) => item === block.content?.[index]);
  return isSame ? block : { ...block, content: items };
}

/** Makes each call of a turn have one result, in the turn right after it. Neighbouring messages of one role are one turn. */
function repairPairs(messages: readonly Message[]): readonly Message[] {
  const usedIds = new Set<string>();
  let open = new Set<string>();
  return splitTurns(messages).flatMap((turn) => {
    if (turn[0]?.role === "user") return answerCalls(turn, open);
    open = new Set();
    return turn.map((message) => openCalls(message, usedIds, open));
  });
}

/** Splits messages into runs of the same role. */
export function splitTurns(messages: readonly Message[]): readonly (readonly Message[])[] {
  const turns: Message[][] = [];
  for (const message of messages) {
    const turn = turns.at(-1);
    if (turn?.[0]?.role === message.role) turn.push(message);
    else turns.push([message]);
  }
  return turns;
}

/** Adds the calls of a message to both sets. A second call with the same id becomes text: it could not be told from the first. */
function openCalls(message: Message, usedIds: Set<string>, open: Set<string>): Message {
  return mapBlocks(message, (block) => {
    if (!isToolUse(block)) return block;
    if (usedIds.has(block.id)) return asText(STAND_INS.strayCall, block);
    usedIds.add(block.id);
    open.add(block.id);
    return block;
  });
}

/** Puts one result for each open call first in a user's turn, and shows all other results as text where they are. */
function answerCalls(turn: readonly Message[], open: ReadonlySet<string>): readonly Message[] {
  const unanswered = new Set(open);
  let hasOther = false;
  let isInOrder = true;
  const marked = turn.map((message) =>
    mapBlocks(message, (block) => {
      const isAnswer = isToolResult(block) && unanswered.delete(block.tool_use_id);
      if (isAnswer && hasOther) isInOrder = false;
      if (!isAnswer) hasOther = true;
      return isToolResult(block) && !isAnswer ? asText(STAND_INS.strayResult, block) : block;
    }),
  );
  const missing = [...unanswered].map(
    (id): Block => ({ type: "tool_result", tool_use_id: id, content: STAND_INS.noResult, is_error: true }),
  );
  const [first, ...rest] = marked;
  if (first === undefined || (isInOrder && missing.length === 0)) return marked;
  const isOther = (block: Block) => !isToolResult(block);
  const answers = marked.flatMap((message) => blocksOf(message).filter(isToolResult));
  const others = rest.map((message) => changeBlocks(message, (blocks) => blocks.filter(isOther)));
  const head = changeBlocks(first, (blocks) => [...answers, ...missing, ...blocks.filter(isOther)]);
  return [head, ...others.filter(({ content }) => content.length > 0)];
}

function mapBlocks(message: Message, change: (block: Block) => Block): Message {
  if (typeof message.content === "string") {
    // No caller changes a text, but one counts what it is given.
    change(textBlock(message.content));
    return message;
  }
  const { content } = message;
  const blocks = content.map(change);
  return blocks.every((block, index) => block === content[index]) ? message : { ...message, content: blocks };
}

function changeBlocks(message: Message, change: (blocks: readonly Block[]) => readonly Block[]): Message {
  return { ...message, content: change(blocksOf(message)) };
}

function blocksOf({ content }: Message): readonly Block[] {
  return typeof content === "string" ? [textBlock(content)] : content;
}

/** A text block: the block's own text, or else its JSON, under a line that says what the block was. */
function asText(line: string, block: Block): TextBlock {
  const fields: Record<string, unknown> = { ...block };
  const text = [fields.content, fields.text].find((field) => typeof field === "string" && !isBlank(field));
  return textBlock(`${line}\n${text ?? jsonOf(block)}`);
}

function jsonOf(block: Block): string {
  try {
    return JSON.stringify(block);
  } catch {
    // Cycles and the like: no store and no wire holds such a block.
    return block.type;
  }
}

function textBlock(text: string): TextBlock {
  return { type: "text", text };
}

function isBlankText(block: Block): boolean {
  return isKnownBlock(block) && block.type === "text" && isBlank(block.text);
}
