import type { ReplyNotes } from "../../core/ports/wire-adapter.ts";
import type { CacheDiagnosis } from "../../core/statement/cache-diagnosis.ts";
import type { LastReply } from "../sessions/session-pool.ts";
import { predictMiss } from "./predict-miss.ts";
import type { TurnContext, TurnState } from "./turn-state.ts";

/** Asks the provider with one request why its cache missed, and compares the request with the one before it. */
export interface CacheDiagnostician {
  /** The body to send, which asks; undefined where nothing is to be changed. */
  ask(body: string | undefined): string | undefined;
  /** What the reply and we say; undefined where neither finds a miss. Also keeps the request for the next one. */
  conclude(state: TurnState, notes: ReplyNotes): CacheDiagnosis | undefined;
}

const NOBODY: CacheDiagnostician = { ask: (body) => body, conclude: () => undefined };

/** What is asked on the side, and what is sent once, is compared with nothing. */
export function diagnoseCache(context: TurnContext): CacheDiagnostician {
  const { adapter, incoming, conversation, recordedAs, diagnosesCache } = context;
  const { askCacheDiagnosis } = adapter;
  const isAsked = diagnosesCache === true && incoming.request.operation === "generate" && recordedAs !== "none";
  if (!isAsked || askCacheDiagnosis === undefined || conversation === undefined) return NOBODY;
  const before: LastReply | undefined = conversation.lastReply;
  const agent = incoming.request.raw.body;
  let sent = agent;
  return {
    ask(body) {
      sent = body ?? agent;
      const asking = askCacheDiagnosis(sent, before?.id);
      return asking === sent ? body : asking;
    },
    conclude({ conversation: settled, loop }, { id, cacheMiss }) {
      // Where calls of our own recall tool were answered, the newest reply is to the last of several requests.
      const last = loop?.bodies().at(-1) ?? sent;
      if (settled !== undefined && id !== undefined) settled.lastReply = { id, agent, sent: last };
      const predicted = before && predictMiss(before, { agent, sent }, adapter.listPaths);
      if (cacheMiss === undefined && predicted === undefined) return undefined;
      return { ...(cacheMiss && { provider: cacheMiss }), ...(predicted && { predicted }) };
    },
  };
}
