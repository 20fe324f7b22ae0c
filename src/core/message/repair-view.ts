import { checkMessages } from "./check-messages.ts";
import { isCompactionBlock } from "./compaction-block.ts";
import { type Block, isKnownBlock, type Message, type TextBlock, type ToolResultBlock } from "./message.ts";
import { contentBlocks, isToolResult, isToolUse } from "./tool-pairs.ts";
import { validateView } from "./validate-view.ts";

/** What stands where a provider demands something that was never said. */
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
 * The view as every provider takes it: what an aborted call, a lost, doubled or far result or an empty turn left behind is shown as
 * text, and a call that was never answered gets a result that says so. Nothing that was said is left out, and calls of the last turn stay
 * open, for they may still run. The same array where there is nothing to repair.
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
 * Repairs whole turns that end a view, whatever the turns before them are. Only calls with an id that an earlier turn has are not
 * recognised. The same array where there is nothing to repair.
 */
export function repairTurns(turns: readonly Message[]): readonly Message[] {
  const last = turns.length - 1;
  const repaired = repairPairs(turns.map((message, index) => repairContent(message, index === last)));
  const isSame = repaired.length === turns.length && repaired.every((message, index) => message === turns[index]);
  return isSame ? turns : repaired;
}

/** Without blank texts, and without blocks that belong to the other role. */
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
  if (isLast && isReply) trimLast(kept);
  const isSame = kept.length === content.length && kept.every((block, index) => block === content[index]);
  if (isSame && kept.length > 0) return message;
  return { ...message, content: kept.length === 0 ? [textBlock(blank)] : kept };
}

function trimLast(blocks: Block[]): void {
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
      return isReply ? block : inWords(STAND_INS.misplaced, block);
    case "tool_result":
      return isReply ? inWords(STAND_INS.misplaced, block) : repairResult(block);
  }
}

/** Blank items of a result go, and a result in a result becomes text. */
function repairResult(block: ToolResultBlock): ToolResultBlock {
  if (block.content === undefined || typeof block.content === "string") return block;
  const items = block.content
    .filter((item) => !isBlankText(item))
    .map((item) => {
      if (!isKnownBlock(item) || item.type === "text" || item.type === "image") return item;
      return inWords(STAND_INS.misplaced, item);
    });
  const isSame = items.length === block.content.length && items.every((item, index) => item === block.content?.[index]);
  return isSame ? block : { ...block, content: items };
}

/** Calls and results pair by pair; neighbouring messages of one role are one turn. */
function repairPairs(messages: readonly Message[]): readonly Message[] {
  const seen = new Set<string>();
  let open = new Set<string>();
  return joinTurns(messages).flatMap((turn) => {
    if (turn[0]?.role === "user") return answerCalls(turn, open);
    open = new Set();
    return turn.map((message) => withKnownIds(message, seen, open));
  });
}

function joinTurns(messages: readonly Message[]): readonly (readonly Message[])[] {
  const turns: Message[][] = [];
  for (const message of messages) {
    const turn = turns.at(-1);
    if (turn?.[0]?.role === message.role) turn.push(message);
    else turns.push([message]);
  }
  return turns;
}

/** A second call with the same id could not be told from the first. */
function withKnownIds(message: Message, seen: Set<string>, open: Set<string>): Message {
  return mapBlocks(message, (block) => {
    if (!isToolUse(block)) return block;
    if (seen.has(block.id)) return inWords(STAND_INS.strayCall, block);
    seen.add(block.id);
    open.add(block.id);
    return block;
  });
}

/** The results of the open calls come first, one for each; all other results become text where they are. */
function answerCalls(turn: readonly Message[], open: ReadonlySet<string>): readonly Message[] {
  const unanswered = new Set(open);
  let hasOther = false;
  let isInOrder = true;
  const marked = turn.map((message) =>
    mapBlocks(message, (block) => {
      const isAnswer = isToolResult(block) && unanswered.delete(block.tool_use_id);
      if (isAnswer && hasOther) isInOrder = false;
      if (!isAnswer) hasOther = true;
      return isToolResult(block) && !isAnswer ? inWords(STAND_INS.strayResult, block) : block;
    }),
  );
  const missing = [...unanswered].map(
    (id): Block => ({ type: "tool_result", tool_use_id: id, content: STAND_INS.noResult, is_error: true }),
  );
  const [first, ...rest] = marked;
  if (first === undefined || (isInOrder && missing.length === 0)) return marked;
  const isOther = (block: Block) => !isToolResult(block);
  const answers = marked.flatMap((message) => blocksOf(message).filter(isToolResult));
  const others = rest.map((message) => mapAll(message, (blocks) => blocks.filter(isOther)));
  const head = mapAll(first, (blocks) => [...answers, ...missing, ...blocks.filter(isOther)]);
  return [head, ...others.filter(({ content }) => content.length > 0)];
}

function mapBlocks(message: Message, change: (block: Block) => Block): Message {
  if (typeof message.content === "string") {
    change(textBlock(message.content));
    return message;
  }
  const { content } = message;
  const blocks = content.map(change);
  return blocks.every((block, index) => block === content[index]) ? message : { ...message, content: blocks };
}

function mapAll(message: Message, change: (blocks: readonly Block[]) => readonly Block[]): Message {
  return { ...message, content: change(blocksOf(message)) };
}

function blocksOf({ content }: Message): readonly Block[] {
  return typeof content === "string" ? [textBlock(content)] : content;
}

/** The block's own words under a line that says what it was. */
function inWords(line: string, block: Block): TextBlock {
  const fields: Record<string, unknown> = { ...block };
  const words = [fields.content, fields.text].find((each) => typeof each === "string" && !isBlank(each));
  return textBlock(`${line}\n${words ?? jsonOf(block)}`);
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

function isBlank(text: string): boolean {
  return !/\S/.test(text);
}
