import { assert } from "../../core/assert.ts";
import { isRecord } from "../../core/json/read-json.ts";
import type { Block, Content, Message } from "../../core/message/message.ts";
import { assertList, type WholeResponse } from "../shared/assert-list.ts";
import { blocksOf } from "../shared/join-turns.ts";
import { type ReadItem, readItem } from "./read-item.ts";

/**
 * Converts items of the Responses API to our messages, ready for `session.append(...)`: those of a prompt, or of a reply,
 * `fromOpenAiResponses(response.output)`. The items of one reply become one message, the outputs of its calls the next; a system message becomes a
 * user's text with the `role`. Fields that only replies have (`parsed`, `logprobs`, `created_by`) are left out.
 * @example
 * ```ts
 * import { fromOpenAiResponses } from "palimpsest/messages";
 * const call = { type: "function_call", call_id: "c1", name: "read", arguments: '{"path":"a.ts"}' };
 * const messages = fromOpenAiResponses([call, { type: "function_call_output", call_id: "c1", output: "1, 2" }]);
 * console.log(messages.map(({ role }) => role)); // [ 'assistant', 'user' ]
 * ```
 */
export function fromOpenAiResponses(items: readonly object[]): readonly Message[] {
  assertList("items", items, RESPONSE);
  const drafts: Draft[] = [];
  const callers = new Map<string, Draft>();
  let current: Draft | undefined;
  for (const [index, value] of items.entries()) {
    assert(isRecord(value), `items[${index}]`, value, "an item of the Responses API");
    const read = readItem(value, `items[${index}]`);
    const caller = read.type === "result" ? callers.get(read.callId) : undefined;
    if (caller !== undefined) {
      // An output goes right behind its calls, wherever it stands: the API pairs them by id alone.
      caller.answers ??= draftOf("result");
      current = caller.answers;
    } else if (current === undefined || read.type === "user" || current.type !== read.type) {
      current = draftOf(read.type);
      drafts.push(current);
    }
    current.contents.push(contentOf(read, current));
    if (read.type === "reply" && read.callId !== undefined) callers.set(read.callId, current);
  }
  return drafts.flatMap((draft) => [close(draft), ...(draft.answers === undefined ? [] : [close(draft.answers)])]);
}

const RESPONSE: WholeResponse = {
  isWhole: ({ object, output }) => object === "response" && Array.isArray(output),
  messages: "response.output",
};

/** A message to which items may still be added. */
interface Draft {
  readonly type: ReadItem["type"];
  readonly contents: Content[];
  /** The id of the last item that has one. */
  lastId: string | null;
  /** The message of the outputs of its calls, which comes right after it. */
  answers?: Draft;
}

function draftOf(type: ReadItem["type"]): Draft {
  return { type, contents: [], lastId: null };
}

function contentOf(read: ReadItem, draft: Draft): Content {
  if (read.type === "result") return [read.block];
  if (read.type === "user") return read.content;
  const { lastId } = draft;
  const isNamed = read.id !== undefined;
  draft.lastId = read.id ?? lastId;
  if (!isNamed && lastId === null) return read.content;
  return blocksOf({ role: "assistant", content: read.content }).map((block) => following(block, lastId));
}

/** Keeps which item came before: the API takes an item's id only after that item. */
function following(block: Block, lastId: string | null): Block {
  return block.type === "reasoning" ? block : { ...block, follows: lastId };
}

function close({ type, contents }: Draft): Message {
  const role = type === "reply" ? "assistant" : "user";
  const [first = []] = contents;
  return {
    role,
    content: contents.length === 1 ? first : contents.flatMap((content) => blocksOf({ role, content })),
  };
}
