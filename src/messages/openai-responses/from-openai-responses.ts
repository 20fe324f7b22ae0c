import { assert, assertArray } from "../../core/assert.ts";
import { isRecord } from "../../core/json/read-json.ts";
import type { Block, Content, Message } from "../../core/message/message.ts";
import { blocksOf } from "../shared/join-turns.ts";
import { type ReadItem, readItem } from "./read-item.ts";

/**
 * Items of the Responses API as our messages, ready for `session.append(...)`: those of a prompt, or of a reply,
 * `fromOpenAiResponses(response.output)`. All that the model said in one go is one message, the outputs of its calls are the next; what the
 * system says is a text of the user's that names its `role`. What only replies have (`parsed`, `logprobs`, `created_by`) is left out.
 * @example
 * ```ts
 * import { fromOpenAiResponses } from "palimpsest/messages";
 * const call = { type: "function_call", call_id: "c1", name: "read", arguments: '{"path":"a.ts"}' };
 * const messages = fromOpenAiResponses([call, { type: "function_call_output", call_id: "c1", output: "1, 2" }]);
 * console.log(messages.map(({ role }) => role)); // [ 'assistant', 'user' ]
 * ```
 */
export function fromOpenAiResponses(items: readonly object[]): readonly Message[] {
  assertArray("items", items);
  const drafts: Draft[] = [];
  const callers = new Map<string, Draft>();
  let current: Draft | undefined;
  for (const [index, value] of items.entries()) {
    assert(isRecord(value), `items[${index}]`, value, "an item of the Responses API");
    const read = readItem(value, `items[${index}]`);
    const caller = read.type === "result" ? callers.get(read.callId) : undefined;
    if (caller !== undefined) {
      // Right behind its calls, wherever it stands: the API pairs by id alone.
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

/** A message that may get more items. */
interface Draft {
  readonly type: ReadItem["type"];
  readonly contents: Content[];
  /** Of the last item that has one. */
  lastId: string | null;
  /** Where the outputs of its calls go: the message right after it. */
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

/** Notes which item came before: ids go back only together. */
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
