import { isStandIn } from "../../core/message/effective-view.ts";
import { shortHash } from "../../core/message/fold-id.ts";
import type { Message } from "../../core/message/message.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import type { Session } from "../../engine/session/session.ts";
import { isSameMessage } from "../shared/same-message.ts";
import type { AgentsConversation } from "./options.ts";

/**
 * The session that a call of the model belongs to. The SDK does not tell a model whose call it is: an agent that is called as a tool begins with
 * other words than the conversation, and is kept apart by them.
 */
export async function sessionOf(
  { engine, sessionId }: AgentsConversation,
  messages: readonly Message[],
): Promise<Session> {
  const session = await engine.session(sessionId);
  const [first] = messages;
  const known = (await session.snapshot()).log.find((message) => !isStandIn(message));
  if (first === undefined || known === undefined || isSameMessage(known, first)) return session;
  return engine.session(`${sessionId}/${shortHash(serialize([first.role, first.content]))}`);
}
