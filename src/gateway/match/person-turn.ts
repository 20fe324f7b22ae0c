import type { Message } from "../../core/message/message.ts";
import { contentBlocks } from "../../core/message/tool-pairs.ts";
import { readStanding } from "../../core/standing/read-standing.ts";
import type { AlignedLog } from "./align.ts";
import type { IncomingRequest } from "./incoming-request.ts";

/**
 * The version of a session right before a person's new turn, which the request ends with; undefined where it ends with results of calls,
 * with what was said before, or is one of a sub-agent. `aligned` is how the request and the log were right before it was appended.
 */
export function turnVersionOf({ incoming, snapshot, spoken }: AlignedLog): number | undefined {
  const known = spoken.messages.length;
  const start = turnStart(incoming, known);
  return start === undefined ? undefined : snapshot.version + start - known;
}

/** Whether a request may begin a person's turn; whether that is new only its session can say. */
export function mayBeginTurn(incoming: IncomingRequest): boolean {
  return turnStart(incoming, 0) !== undefined;
}

/** Finds the beginning of what was said since the last reply and the last result, from a place on; undefined where no person speaks in it. */
function turnStart({ messages, scope }: IncomingRequest, from: number): number | undefined {
  if (scope?.isSubAgent === true) return undefined;
  const before = messages.findLastIndex((message) => message.role !== "user" || readStanding(message).hasResults);
  const start = Math.max(from, before + 1);
  return messages.slice(start).some(isOfPerson) ? start : undefined;
}

/** Agents add messages that hold nothing but reminders; a picture alone is a person's. */
function isOfPerson(message: Message): boolean {
  return readStanding(message).speech.length > 0 || contentBlocks(message.content).some(({ type }) => type !== "text");
}
