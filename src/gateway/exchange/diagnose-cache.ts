import type { ReplyNotes } from "../../core/ports/wire-adapter.ts";
import { firstPromptChange, PROMPT_PARTS } from "../../core/requests/prompt-change.ts";
import type { CacheDiagnosis, PredictedCacheMiss, PromptPart } from "../../core/statement/cache-diagnosis.ts";
import type { LastReply } from "../sessions/session-pool.ts";
import type { TurnContext, TurnState } from "./turn-state.ts";

/** Asks the provider in one request why its cache missed, and compares the request with the previous one. */
export interface CacheDiagnostician {
  /** Adds the question to a body; undefined where the unchanged request is sent. */
  ask(body: string | undefined): string | undefined;
  /** The provider's diagnosis and ours; undefined where neither finds a miss. Also remembers the request, to compare the next one with it. */
  conclude(state: TurnState, notes: ReplyNotes): CacheDiagnosis | undefined;
}

const NOBODY: CacheDiagnostician = { ask: (body) => body, conclude: () => undefined };

/** The diagnostician of one turn. Does nothing where it is switched off, where the wire has no such question, or for side calls. */
export function diagnoseCache(context: TurnContext): CacheDiagnostician {
  const { adapter, incoming, conversation, recordedAs, diagnosesCache } = context;
  const { askCacheDiagnosis } = adapter;
  const isAsked = diagnosesCache === true && incoming.request.operation === "generate" && recordedAs !== "none";
  if (!isAsked || askCacheDiagnosis === undefined || conversation === undefined) return NOBODY;
  const before: LastReply | undefined = conversation.reply.newest;
  const agent = incoming.request.raw.body;
  let sent = agent;
  return {
    ask(body) {
      sent = body ?? agent;
      const asking = askCacheDiagnosis(sent, before?.id);
      return asking === sent ? body : asking;
    },
    conclude({ conversation: settled, loop }, { id, cacheMiss }) {
      // After answered calls of our recall tool, the newest reply belongs to the last of the turn's requests.
      const last = loop?.bodies().at(-1) ?? sent;
      if (settled !== undefined && id !== undefined) settled.reply.newest = { id, agent, sent: last };
      const predicted = before && predictMiss(before, { agent, sent }, adapter.listPaths);
      if (cacheMiss === undefined && predicted === undefined) return undefined;
      return { ...(cacheMiss && { provider: cacheMiss }), ...(predicted && { predicted }) };
    },
  };
}

/** One request of a session: as the agent sent it, and as it went upstream. */
interface SentBodies {
  readonly agent: string;
  readonly sent: string;
}

type ListPaths = readonly (readonly string[])[];

/**
 * The first change since the previous request that a prefix cache cannot read past; undefined where messages were only added at the end. The cause
 * is the agent if its own two requests differ at or before that part, else the gateway.
 */
export function predictMiss(before: SentBodies, now: SentBodies, listPaths: ListPaths): PredictedCacheMiss | undefined {
  const change = firstPromptChange(before.sent, now.sent, listPaths);
  if (change === undefined) return undefined;
  const byAgent = before.agent === before.sent && now.agent === now.sent;
  const own = byAgent ? change : firstPromptChange(before.agent, now.agent, listPaths);
  return { ...change, cause: own === undefined || isLater(own.part, change.part) ? "gateway" : "agent" };
}

function isLater(part: PromptPart, other: PromptPart): boolean {
  return PROMPT_PARTS.indexOf(part) > PROMPT_PARTS.indexOf(other);
}
