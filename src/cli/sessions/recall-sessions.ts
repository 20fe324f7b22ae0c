import type { RecallHit } from "../../core/recall/recall-hit.ts";
import { renderRecall } from "../../core/recall/render-recall.ts";
import type { SessionRecallHit } from "../../engine/session/recall-sessions.ts";
import { findSession, type OpenSessions } from "./open-sessions.ts";

/** The result of a search. */
export interface Recalled {
  readonly hits: readonly (RecallHit | SessionRecallHit)[];
  /** The text that an agent would get; undefined if several conversations were searched. */
  readonly text: string | undefined;
  /** What was searched, for a message to the person. */
  readonly where: string;
  /** The size of the best match, whether it fits the budget or not; undefined if nothing matches. */
  readonly bestTokens: number | undefined;
}

export interface RecallRequest {
  readonly query: string;
  readonly budgetTokens: number;
}

/** Far more tokens than an excerpt can take, but not a whole log. */
const ANY_BUDGET = 20_000;

/** Searches what the folds of a stored session hide. */
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

/** Searches all messages of all stored sessions, hidden or not. */
export async function recallAll({ engine }: OpenSessions, { query, budgetTokens }: RecallRequest): Promise<Recalled> {
  const hits = await engine.recall(query, { budgetTokens });
  const [best] = hits.length > 0 ? hits : await engine.recall(query, { budgetTokens: ANY_BUDGET });
  return { hits, text: undefined, where: "the stored sessions", bestTokens: best?.tokens };
}
