import { collectStandIns } from "../../../core/message/effective-view.ts";
import { shownAs } from "../../../core/strata/strata-state.ts";
import type { Engine } from "../../../engine/engine.ts";
import type { SessionRecallHit } from "../../../engine/session/recall-sessions.ts";
import { strataOf } from "../../../engine/session/requests/session-strata.ts";
import { queryRoute, type Route } from "../route.ts";
import { ref } from "../schemas/schema-parts.ts";
import type { ApiSessions } from "../sessions.ts";
import { fields, optional, text, wholeNumber } from "../shape.ts";

const DEFAULT_HITS = 20;
const MOST_HITS = 100;
/** The approximate length of an excerpt. */
const TOKENS_PER_HIT = 150;
/** In how many sessions the places of hits are looked up, because each must be opened for that. */
const MOST_PLACED_SESSIONS = 10;

/** Searches all messages of all sessions, and says of each hit where the message is. */
export function searchRoute(engine: Pick<Engine, "recall">, sessions: ApiSessions): Route {
  return queryRoute({
    path: "/palimpsest/api/search",
    operationId: "search",
    summary: "Search everything that was ever said in all sessions, hidden or not, rewound or not",
    query: fields({
      q: text({ description: "What to look for, in words.", maxLength: 10_000 }),
      limit: optional(
        wholeNumber({ description: "The most excerpts.", least: 1, most: MOST_HITS, fallback: DEFAULT_HITS }),
      ),
    }),
    reply: { description: "Excerpts, word for word, the best first.", schema: ref("Found") },
    answer: async ({ q, limit = DEFAULT_HITS }) => {
      const found = await engine.recall(q, { budgetTokens: limit * TOKENS_PER_HIT });
      const hits = found.slice(0, limit);
      const places = await placesOf(hits, sessions);
      return Response.json({ query: q, hits: hits.map((hit, index) => ({ ...hit, ...places[index] })) });
    },
  });
}

interface FoundPlace {
  /** The row of the message in the session's strata. */
  readonly row?: number;
  readonly state?: "shown" | "stand-in" | "hidden" | "rewound";
  readonly foldId?: string | undefined;
}

async function placesOf(hits: readonly SessionRecallHit[], sessions: ApiSessions): Promise<readonly FoundPlace[]> {
  const ids = [...new Set(hits.map(({ sessionId }) => sessionId))].slice(0, MOST_PLACED_SESSIONS);
  const finders = new Map<string, (messageId: string) => FoundPlace>();
  for (const id of ids) {
    const find = await finderIn(id, sessions).catch(() => undefined);
    if (find !== undefined) finders.set(id, find);
  }
  return hits.map(({ sessionId, messageId }) =>
    messageId === undefined ? {} : (finders.get(sessionId)?.(messageId) ?? {}),
  );
}

/** Returns a function that finds messages of a session. Rejects if the session is damaged, or was deleted in the meantime. */
async function finderIn(id: string, sessions: ApiSessions): Promise<(messageId: string) => FoundPlace> {
  const { session } = await sessions.open(id);
  const { rows } = await strataOf(session);
  const { log } = await session.snapshot();
  const standIns = collectStandIns(log);
  const byId = new Map(rows.flatMap(({ message }, index) => (message.id === undefined ? [] : [[message.id, index]])));
  return (messageId) => {
    const index = byId.get(messageId);
    const row = index === undefined ? undefined : rows[index];
    if (row === undefined || index === undefined) return {};
    if (!row.isInLog) return { row: index, state: "rewound" };
    const { state, foldId } = shownAs(row.message, standIns);
    return { row: index, state: state === "hidden" || state === "stand-in" ? state : "shown", foldId };
  };
}
