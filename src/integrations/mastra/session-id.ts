import { asName, fieldAt } from "../../core/json/read-json.ts";
import { shortHash } from "../../core/message/fold-id.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import type { AiSdkMessageLike } from "../../messages/ai-sdk/ai-sdk-prompt.ts";
import type { MastraRequest } from "./types.ts";

/** The session that a request belongs to: that of its thread, or else the one that was named, or else one of its own. */
export function sessionIdOf(
  { prompt, requestContext, messageList }: MastraRequest<AiSdkMessageLike>,
  named: string | undefined,
): string {
  const messages = messageList?.get.all.db() ?? [];
  // Mastra's memory may put messages of other threads before those of this one: the newest one is of this one.
  const threadId =
    asName(fieldAt(requestContext?.get("MastraMemory"), "thread", "id")) ??
    asName(fieldAt(messages.at(-1), "threadId"));
  const firstId = asName(fieldAt(messages[0], "id"));
  return threadId ?? named ?? `mastra-${firstId ?? shortHash(serialize(prompt[0]?.content))}`;
}
