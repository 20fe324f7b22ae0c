import { PalimpsestError } from "../../core/errors.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { Session } from "../../engine/session/session.ts";
import { isSameMessage } from "./same-message.ts";

/** Others may write to the session at the same time: then there is another log to compare with. */
const MAX_TRIES = 5;

/**
 * Makes a session's log what an SDK's history says: what is new is appended, and where the history is shorter or edited, the log is rewound to
 * what both have first. Nothing is lost by that: `session.rewind({ undo: true })` comes back.
 *
 * "apart" for a prompt of which nothing was said in the session, and to which nobody has replied yet: a title, or a check. It is not recorded.
 */
export async function follow(session: Session, messages: readonly Message[]): Promise<"followed" | "apart"> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { log, version } = await session.snapshot();
    const spoken = log.filter((message) => !isStandIn(message));
    const shared = sharedCount(spoken, messages);
    const [different] = spoken.slice(shared);
    if (different !== undefined) {
      if (shared === 0 && !messages.some(({ role }) => role === "assistant")) return "apart";
      await session.rewind({ toMessage: idOf(different, session), includeMessage: false });
      continue;
    }
    const added = withIds(messages.slice(shared), { log, from: shared });
    if (added.length === 0 || (await session.appendAfter(version, ...added))) return "followed";
  }
  throw new PalimpsestError(
    "conflict",
    `Others kept writing to the session ${JSON.stringify(session.id)}. Use one per conversation.`,
  );
}

function sharedCount(spoken: readonly Message[], messages: readonly Message[]): number {
  const length = Math.min(spoken.length, messages.length);
  for (const [index, message] of messages.slice(0, length).entries()) {
    const said = spoken[index];
    if (said === undefined || !isSameMessage(said, message)) return index;
  }
  return length;
}

function idOf({ id }: Message, session: Session): string {
  if (id !== undefined) return id;
  throw new PalimpsestError(
    "conflict",
    `The log of the session ${JSON.stringify(session.id)} differs from the conversation at a message that has no id. Use another session.`,
  );
}

/** Named by their number, which ledgers name them by too. */
function withIds(
  messages: readonly Message[],
  { log, from }: { readonly log: readonly Message[]; readonly from: number },
): readonly Message[] {
  const taken = new Set(log.map(({ id }) => id));
  return messages.map((message, offset) => {
    const number = `m${from + offset}`;
    let id = number;
    for (let copy = 2; taken.has(id); copy++) id = `${number}.${copy}`;
    return { ...message, id };
  });
}
