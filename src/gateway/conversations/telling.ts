import { isInventedCallId } from "../../core/message/invented-call-id.ts";
import type { Message } from "../../core/message/message.ts";
import { CALL_KEY } from "./fingerprints.ts";

/** Shorter ones, such as `call_0`, are given in every conversation. */
const SHORTEST_TELLING_ID = 12;
/** Nobody says so much in the same words twice. */
const TELLING_LENGTH = 200;

/** Whether this is something that is said in one conversation alone. The ids of calls must be the agent's own: see `keys`. */
export function isTelling({ role, content, keys = [] }: Message): boolean {
  if (role !== "assistant") return false;
  if (typeof content === "string") return content.length >= TELLING_LENGTH;
  const hasOwnIds = keys.some((key) => key.startsWith(CALL_KEY));
  return content.some((block) => {
    if (block.type === "text" && "text" in block) return String(block.text).length >= TELLING_LENGTH;
    return block.type === "tool_use" && "id" in block && hasOwnIds && isTellingId(String(block.id));
  });
}

/** Whether a call of this id is made in one conversation alone. */
export function isTellingId(id: string): boolean {
  return id.length >= SHORTEST_TELLING_ID && !isInventedCallId(id);
}

/** Whether tools are used in this conversation. */
export function hasCalls(log: readonly Message[]): boolean {
  return log.some(({ content }) => typeof content !== "string" && content.some(({ type }) => type === "tool_use"));
}
