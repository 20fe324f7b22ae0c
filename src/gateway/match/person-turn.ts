import type { Message } from "../../core/message/message.ts";
import { contentBlocks } from "../../core/message/tool-pairs.ts";
import { readStanding } from "../../core/standing/read-standing.ts";
import type { AlignedLog } from "./align-log.ts";
import type { IncomingRequest } from "./incoming-request.ts";

/**
 * The version of a session right before the person's new turn that a request ends with; undefined where the request ends with tool results, has no
 * new message of a person, or is a sub-agent's. Takes the alignment from right before the request was appended to the log.
 */
export function turnVersionOf({ incoming, snapshot, said }: AlignedLog): number | undefined {
  const known = said.count;
  const start = turnStart(incoming, known);
  return start === undefined ? undefined : snapshot.version + start - known;
}

/** Whether a request may begin a person's turn; only its session can tell whether that turn is new. */
export function mayBeginTurn(incoming: IncomingRequest): boolean {
  return turnStart(incoming, 0) !== undefined;
}

/** The index of the first message after the last reply and the last tool result, at least `from`; undefined where no person speaks from there on. */
function turnStart({ messages, scope }: IncomingRequest, from: number): number | undefined {
  if (scope?.isSubAgent === true) return undefined;
  const before = messages.findLastIndex((message) => message.role !== "user" || readStanding(message).hasResults);
  const start = Math.max(from, before + 1);
  return messages.slice(start).some(isOfPerson) ? start : undefined;
}

/** Whether a message has words or images of a person: agents add messages that hold nothing but reminders. */
function isOfPerson(message: Message): boolean {
  return readStanding(message).speech.length > 0 || contentBlocks(message.content).some(({ type }) => type !== "text");
}
