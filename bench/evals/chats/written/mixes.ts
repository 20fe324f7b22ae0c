import type { Message } from "palimpsest";
import { seededRandom } from "palimpsest/evals";
import { readBfcl } from "../bfcl.ts";
import type { Chat } from "../chat.ts";
import { readQmsum } from "../qmsum.ts";
import { withReplies } from "../replies.ts";
import { chatOf, mixSessions, sessionsByDate, type WrittenChat } from "./read-written.ts";

const SEED = 4;
/** Together with the written chats some 100,000 tokens. */
const MEETINGS = 8;
/** What was told to BFCL's assistant in one go. */
const MESSAGES_PER_SESSION = 16;

/** All chats of one kind as one log by date, of which those of one part are asked about. */
export function shortMix(chats: readonly WrittenChat[], { between, use }: Pick<WrittenChat, "between" | "use">): Chat {
  const same = chats.filter((chat) => chat.between === between);
  const asked = same.filter((chat) => chat.use === use);
  return chatOf(`${between}, ${use}`, sessionsByDate(same), asked);
}

/** The same among much that others said: meetings between sessions of people, and what BFCL's people tell, with long replies, between those with an assistant. */
export function longMix(
  chats: readonly WrittenChat[],
  { between, use }: Pick<WrittenChat, "between" | "use">,
): Chat | undefined {
  const same = chats.filter((chat) => chat.between === between);
  const asked = same.filter((chat) => chat.use === use);
  const others = between === "people" ? meetings() : assistance();
  return others && chatOf(`${between}, ${use}`, mixSessions(sessionsByDate(same), others), asked);
}

function meetings(): readonly (readonly Message[])[] | undefined {
  return readQmsum("val")
    ?.slice(0, MEETINGS)
    .map(({ messages }) => messages);
}

function assistance(): readonly (readonly Message[])[] | undefined {
  const random = seededRandom(SEED);
  const messages = readBfcl()?.flatMap((chat) => withReplies(chat, random).messages);
  if (messages === undefined) return undefined;
  const count = Math.ceil(messages.length / MESSAGES_PER_SESSION);
  return Array.from({ length: count }, (_, at) =>
    messages.slice(at * MESSAGES_PER_SESSION, (at + 1) * MESSAGES_PER_SESSION),
  );
}
