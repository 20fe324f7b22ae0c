import type { Message } from "../../core/message/message.ts";
import type { SessionSnapshot } from "../../engine/session/session.ts";
import { type Alignment, align, type Spoken } from "./align.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { isAgentNamed } from "./scope.ts";
import { spokenMessages } from "./wire-view.ts";

/** A session at one moment, and how a request relates to its log. */
export interface AlignedLog {
  readonly incoming: IncomingRequest;
  readonly snapshot: SessionSnapshot;
  /** The messages of the log without stand-ins. */
  readonly spoken: Spoken;
  readonly alignment: Alignment;
}

/**
 * Aligns a request with a session's log. A snapshot has the same array as the one before it until the log changes: what is `known` for that
 * array, and for the same request, is taken over.
 */
export function alignLog(incoming: IncomingRequest, snapshot: SessionSnapshot, known?: AlignedLog): AlignedLog {
  if (known?.incoming === incoming && known.snapshot.log === snapshot.log) return { ...known, snapshot };
  const spoken = spokenIn(snapshot.log);
  const alignment = align(spoken, incoming, { isSameAgent: isAgentNamed(incoming.scope) });
  return { incoming, snapshot, spoken, alignment };
}

function spokenIn(log: readonly Message[]): Spoken {
  const messages = spokenMessages(log);
  return { messages, fingerprints: messages.map(({ keys }) => keys?.[0] ?? "") };
}
