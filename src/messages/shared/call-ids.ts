import { shortHash } from "../../core/message/fold-id.ts";
import type { Block, Message } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";

/** The ids and names that a wire takes: of letters, digits, `_` and `-`, and no longer than this. */
export interface NameRules {
  readonly maxLength: number;
}

const OTHER_CHARACTERS = /[^a-zA-Z0-9_-]/g;

/**
 * Gives calls whose ids a wire would refuse other ids, and their results the same. An id follows from the one before alone, so that it is the
 * same in every request.
 */
export function fitCallIds(messages: readonly Message[], { maxLength }: NameRules): readonly Message[] {
  const ids = messages.flatMap(({ content }) => contentBlocks(content).filter(isToolUse)).map(({ id }) => id);
  const isAllowed = (id: string) => id !== "" && id.length <= maxLength && id.search(OTHER_CHARACTERS) < 0;
  if (ids.every(isAllowed)) return messages;
  const taken = new Set(ids.filter(isAllowed));
  const fitted = new Map<string, string>();
  for (const id of ids) {
    if (isAllowed(id) || fitted.has(id)) continue;
    const name = freeId(id, { maxLength, taken });
    taken.add(name);
    fitted.set(id, name);
  }
  return messages.map((message) => mapBlocks(message, (block) => renamed(block, fitted)));
}

/** A name of a tool as a wire takes it. */
export function fitToolName(name: string, { maxLength }: NameRules): string {
  return name.replace(OTHER_CHARACTERS, "_").slice(0, maxLength) || "unnamed";
}

function freeId(id: string, { maxLength, taken }: NameRules & { readonly taken: ReadonlySet<string> }): string {
  for (let attempt = 0; ; attempt++) {
    const hash = shortHash(attempt === 0 ? id : `${id}\n${attempt}`);
    const name = `${id.replace(OTHER_CHARACTERS, "_").slice(0, maxLength - hash.length - 1)}_${hash}`;
    if (!taken.has(name)) return name;
  }
}

function renamed(block: Block, ids: ReadonlyMap<string, string>): Block {
  if (isToolUse(block)) return { ...block, id: ids.get(block.id) ?? block.id };
  if (isToolResult(block)) return { ...block, tool_use_id: ids.get(block.tool_use_id) ?? block.tool_use_id };
  return block;
}

function mapBlocks(message: Message, change: (block: Block) => Block): Message {
  return typeof message.content === "string" ? message : { ...message, content: message.content.map(change) };
}
