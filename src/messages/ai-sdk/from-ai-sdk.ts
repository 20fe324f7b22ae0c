import { assertArray } from "../../core/assert.ts";
import type { Message } from "../../core/message/message.ts";
import type { AiSdkMessageLike } from "./ai-sdk-prompt.ts";
import { readAiSdkMessage } from "./read-message.ts";

/**
 * Messages of the AI SDK as ours, ready for `session.append`: `result.response.messages`, or those that you keep yourself, of its versions 5, 6
 * and 7. What tools returned is the user's, and what the system said among them is marked in place; settings for a whole message are left out.
 * @example
 * ```ts
 * import { fromAiSdk } from "palimpsest/messages";
 * const reply = { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "read", input: { path: "a.ts" } }] };
 * console.log(fromAiSdk([reply])[0]?.content[0]); // { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a.ts' } }
 * ```
 */
export function fromAiSdk(list: readonly AiSdkMessageLike[]): readonly Message[] {
  assertArray("messages", list);
  return list.map((item, index) => readAiSdkMessage(item, `messages[${index}]`));
}
