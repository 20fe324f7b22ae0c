import { assert, assertArray } from "../../core/assert.ts";
import { isRecord } from "../../core/json/read-json.ts";
import type { Block, Message } from "../../core/message/message.ts";
import { isToolResult } from "../../core/message/tool-pairs.ts";
import { readAnthropicBlock, readSealedThinking } from "../../core/transcript/anthropic-messages.ts";
import { assertList } from "../shared/assert-list.ts";
import { blocksOf } from "../shared/join-turns.ts";
import type { AnthropicMessageLike } from "./anthropic-prompt.ts";
import { pickFields } from "./fields.ts";

/**
 * Converts messages of Anthropic's client to ours, ready for `session.append`: those of a request, or a reply as a list of one. Ids, usage and
 * fields that the client adds are no content, and are left out. A system message within the conversation becomes part of the message before it.
 * @example
 * ```ts
 * import { fromAnthropic } from "palimpsest/messages";
 * const reply = { id: "msg_1", role: "assistant", content: [{ type: "thinking", thinking: "Hm.", signature: "c2ln" }, { type: "text", text: "Yes." }] };
 * console.log(fromAnthropic([reply])[0]?.content[0]); // { type: 'reasoning', text: 'Hm.', signature: 'c2ln' }
 * ```
 */
export function fromAnthropic(list: readonly AnthropicMessageLike[]): readonly Message[] {
  assertList("messages", list);
  const messages: Message[] = [];
  for (const [index, item] of list.entries()) {
    const { role, content } = readMessage(item, `messages[${index}]`);
    if (role !== "system") messages.push({ role, content });
    else attach(messages, content);
  }
  return messages;
}

type ReadMessage = Pick<Message, "content"> & { readonly role: Message["role"] | "system" };

function readMessage(item: unknown, where: string): ReadMessage {
  assert(isRecord(item), where, item, "a message with role and content");
  const { role, content } = item;
  const allowed = '"user", "assistant" or "system"';
  assert(role === "user" || role === "assistant" || role === "system", `${where}.role`, role, allowed);
  if (typeof content === "string") return { role, content };
  assertArray(`${where}.content`, content);
  return { role, content: content.map(readBlock) };
}

function readBlock(value: unknown): Block {
  const isSealed = isRecord(value) && value.type === "redacted_thinking";
  return withoutOtherFields(isSealed ? readSealedThinking(value) : readAnthropicBlock(value));
}

function withoutOtherFields(block: Block): Block {
  const fields = { ...pickFields(block), type: block.type };
  const isNested = isToolResult(block) && Array.isArray(block.content);
  return isNested ? { ...fields, content: block.content.map(withoutOtherFields) } : fields;
}

/** Adds a system message to the message before it, as the gateway's adapter does, so that a session can use both. */
function attach(messages: Message[], content: Message["content"]): void {
  const blocks = blocksOf({ role: "user", content }).map((block): Block => ({ ...block, role: "system" }));
  const last = messages.pop();
  if (last === undefined) messages.push({ role: "user", content: blocks });
  else messages.push({ ...last, content: [...blocksOf(last), ...blocks] });
}
