import { isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { shortHash } from "../../core/message/fold-id.ts";
import type { Block, Message } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";

/** The limit for ids and names on a wire, all of which allow letters, digits, `_` and `-`. */
export interface NameRules {
  readonly maxLength: number;
}

const OTHER_CHARACTERS = /[^a-zA-Z0-9_-]/g;

/**
 * Replaces ids that a wire would refuse, in calls and in their results. The new id depends on the old one alone, so that it is the same in
 * every request; only if another call has that id already, a further hash is tried.
 */
export function fitCallIds(messages: readonly Message[], { maxLength }: NameRules): readonly Message[] {
  const ids = messages.flatMap(({ content }) => contentBlocks(content).filter(isToolUse)).map(({ id }) => id);
  const isAllowed = (id: string) => id !== "" && id.length <= maxLength && id.search(OTHER_CHARACTERS) < 0;
  if (ids.every(isAllowed)) return messages;
  const taken = new Set(ids.filter(isAllowed));
  const fitted = new Map<string, string>();
  for (const id of ids) {
    if (isAllowed(id) || fitted.has(id)) continue;
    const newId = freeId(id, { maxLength, taken });
    taken.add(newId);
    fitted.set(id, newId);
  }
  return messages.map((message) => mapBlocks(message, (block) => renamed(block, fitted)));
}

/** The name of a tool with the characters and the length that a wire takes. */
export function fitToolName(name: string, { maxLength }: NameRules): string {
  return name.replace(OTHER_CHARACTERS, "_").slice(0, maxLength) || "unnamed";
}

/** The arguments of a call as an object, which most wires demand. */
export function fitInput(input: unknown): JsonRecord {
  if (isRecord(input)) return input;
  return input === undefined || input === null ? {} : { input };
}

function freeId(id: string, { maxLength, taken }: NameRules & { readonly taken: ReadonlySet<string> }): string {
  for (let attempt = 0; ; attempt++) {
    const hash = shortHash(attempt === 0 ? id : `${id}\n${attempt}`);
    const newId = `${id.replace(OTHER_CHARACTERS, "_").slice(0, maxLength - hash.length - 1)}_${hash}`;
    if (!taken.has(newId)) return newId;
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
