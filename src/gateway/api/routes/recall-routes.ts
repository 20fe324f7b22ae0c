import type { Store } from "../../../core/ports/store.ts";
import type { RecallHit } from "../../../core/recall/recall-hit.ts";
import type { Engine } from "../../../engine/engine.ts";
import { type RewoundHit, recallRewound } from "../recall-rewound.ts";
import { bodyRoute, type Call, queryRoute, type Route } from "../route.ts";
import { ref } from "../schemas/schema-parts.ts";
import type { ApiSessions, OpenedSession } from "../sessions.ts";
import { fields, optional, text, wholeNumber } from "../shape.ts";

export interface RecallRoutesOptions {
  readonly engine: Engine;
  readonly store: Store;
  readonly sessions: ApiSessions;
}

const DEFAULT_BUDGET_TOKENS = 1_500;
/** The largest share of a budget for excerpts from rewound branches and other sessions. */
const REWOUND_SHARE = 0.4;
const SESSION_PATH = "/palimpsest/api/sessions/{id}/recall";

const recallQuery = fields({
  q: text({ description: "What to look for, in words.", maxLength: 10_000 }),
  budget: optional(
    wholeNumber({
      description: "What the excerpts may take, in tokens.",
      least: 1,
      most: 1_000_000,
      fallback: DEFAULT_BUDGET_TOKENS,
    }),
  ),
});

const reply = { description: "Excerpts, word for word.", schema: ref("Recalled") };

const DESCRIPTION =
  "What folds hide comes first; then, for at most two fifths of the budget, the session's rewound branches (by a rewind, or by the agent's own compaction), and the sessions that it parted with.";

interface RecallQuery {
  readonly q: string;
  readonly budget: number | undefined;
}

/** Routes that search messages, hidden ones included. */
export function recallRoutes({ engine, store, sessions }: RecallRoutesOptions): readonly Route[] {
  async function recallOne({ q, budget = DEFAULT_BUDGET_TOKENS }: RecallQuery, call: Call): Promise<Response> {
    const opened = await sessions.open(call.param("id"));
    const hits = await recallSession(store, opened, { query: q, budgetTokens: budget });
    return Response.json({ query: q, budgetTokens: budget, hits });
  }
  const ofSession = { path: SESSION_PATH, summary: "Search what was said in a session and is not in its view", reply };
  return [
    recallRoute(engine),
    queryRoute({
      ...ofSession,
      operationId: "recallInSession",
      description: DESCRIPTION,
      query: recallQuery,
      answer: recallOne,
    }),
    bodyRoute({
      ...ofSession,
      method: "post",
      operationId: "recallInSessionByBody",
      description: `${DESCRIPTION} The same as GET, for queries that are too long for an address.`,
      body: recallQuery,
      answer: recallOne,
    }),
  ];
}

function recallRoute(engine: Engine): Route {
  return queryRoute({
    path: "/palimpsest/api/recall",
    operationId: "recall",
    summary: "Search the messages of all sessions, hidden or not",
    query: recallQuery,
    reply,
    answer: async ({ q, budget = DEFAULT_BUDGET_TOKENS }) => {
      const found = await engine.recall(q, { budgetTokens: budget });
      const hits = found.map((hit) => ({ ...hit, where: "stored" }));
      return Response.json({ query: q, budgetTokens: budget, hits });
    },
  });
}

/** An excerpt, and why the view does not show it. */
type PlacedHit =
  | (RecallHit & { readonly where: "hidden"; readonly sessionId: string })
  | (RewoundHit & { readonly where: "rewound" | "branch" });

interface RecallRequest {
  readonly query: string;
  readonly budgetTokens: number;
}

/** Searches the messages of a session that its view does not show: first those that folds hide, then rewound ones and those of related sessions. */
async function recallSession(
  store: Store,
  { stored, session }: OpenedSession,
  { query, budgetTokens }: RecallRequest,
): Promise<readonly PlacedHit[]> {
  const { log } = await session.snapshot();
  // Hidden messages could use up any budget, so the others are searched first, within their share.
  const rewoundTokens = Math.floor(budgetTokens * REWOUND_SHARE);
  const rewound = await recallRewound(query, { store, stored, log, budgetTokens: rewoundTokens });
  const leftTokens = rewound.reduce((left, hit) => left - hit.tokens, budgetTokens);
  const hidden = await session.recall(query, { budgetTokens: leftTokens });
  return [
    ...hidden.map((hit) => ({ ...hit, where: "hidden" as const, sessionId: stored.id })),
    ...rewound.map((hit) => {
      return { ...hit, where: hit.sessionId === stored.id ? ("rewound" as const) : ("branch" as const) };
    }),
  ];
}
