import { asName, fieldAt } from "../../core/json/read-json.ts";
import { shortHash } from "../../core/message/fold-id.ts";
import { serialize } from "../../core/tokens/serialize.ts";

interface Call {
  readonly messages: readonly object[];
  readonly runtime: { readonly configurable?: object | undefined };
}

/**
 * The id of the session that a call of the model belongs to: the thread's id, or without a thread one made of the first message. An agent that
 * another agent calls shares its thread but not its messages: LangGraph tells them apart by a path, which is added to the id.
 */
export function sessionIdOf({ messages, runtime: { configurable } }: Call): string {
  const threadId = asName(fieldAt(configurable, "thread_id"));
  const [first] = messages;
  const ownId =
    threadId ?? `langchain-${asName(fieldAt(first, "id")) ?? shortHash(serialize(fieldAt(first, "content")))}`;
  // The last part of the path is the call itself.
  const callers = (asName(fieldAt(configurable, "checkpoint_ns")) ?? "").split("|").slice(0, -1);
  return [ownId, ...callers].join("/");
}
