import type { RecallHit } from "../../core/recall/recall-hit.ts";
import { renderRecall } from "../../core/recall/render-recall.ts";
import type { SessionRecallHit } from "../../engine/session/recall-sessions.ts";
import { findSession, type OpenSessions } from "./open-sessions.ts";

/** What a search came to. */
export interface Recalled {
  readonly hits: readonly (RecallHit | SessionRecallHit)[];
  /** What an agent gets; undefined where the excerpts are of several conversations. */
  readonly text: string | undefined;
  /** Where it was looked, for a person. */
  readonly where: string;
  /** The size of the best match, whether it fits or not; undefined where nothing matches. */
  readonly bestTokens: number | undefined;
}

export interface RecallRequest {
  readonly query: string;
  readonly budgetTokens: number;
}

/** Far more than an excerpt can take, and not a whole log. */
const ANY_BUDGET = 20_000;

/** Searches what the folds of one stored session hide. */
export async function recallSession(
  open: OpenSessions,
  named: string,
  { query, budgetTokens }: RecallRequest,
): Promise<Recalled> {
  const session = await findSession(open, named);
  const hits = await session.recall(query, { budgetTokens });
  const [best] = hits.length > 0 ? hits : await session.recall(query, { budgetTokens: ANY_BUDGET });
  const where = `what the folds of ${JSON.stringify(session.id)} hide`;
  return { hits, text: renderRecall(hits), where, bestTokens: best?.tokens };
}

/** Searches all stored sessions, what is hidden and what is not. */
export async function recallAll({ engine }: OpenSessions, { query, budgetTokens }: RecallRequest): Promise<Recalled> {
  const hits = await engine.recall(query, { budgetTokens });
  const [best] = hits.length > 0 ? hits : await engine.recall(query, { budgetTokens: ANY_BUDGET });
  return { hits, text: undefined, where: "the stored sessions", bestTokens: best?.tokens };
}
