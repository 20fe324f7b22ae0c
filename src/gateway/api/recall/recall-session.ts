import type { Store } from "../../../core/ports/store.ts";
import type { RecallHit } from "../../../core/recall/recall-hit.ts";
import type { OpenedSession } from "../sessions.ts";
import { type RewoundHit, recallRewound } from "./recall-rewound.ts";

/** An excerpt, and how it came that the agent does not see it. */
export type PlacedHit =
  | (RecallHit & { readonly where: "hidden"; readonly sessionId: string })
  | (RewoundHit & { readonly where: "rewound" | "branch" });

export interface RecallRequest {
  readonly query: string;
  readonly budgetTokens: number;
}

/** Searches all that was said in a session and its view does not show: what folds hide comes first, then what was rewound. */
export async function recallSession(
  store: Store,
  { stored, session }: OpenedSession,
  { query, budgetTokens }: RecallRequest,
): Promise<readonly PlacedHit[]> {
  const hidden = await session.recall(query, { budgetTokens });
  const leftTokens = hidden.reduce((left, hit) => left - hit.tokens, budgetTokens);
  const { log } = await session.snapshot();
  const rewound = await recallRewound(query, { store, stored, log, budgetTokens: leftTokens });
  return [
    ...hidden.map((hit) => ({ ...hit, where: "hidden" as const, sessionId: stored.id })),
    ...rewound.map((hit) => {
      return { ...hit, where: hit.sessionId === stored.id ? ("rewound" as const) : ("branch" as const) };
    }),
  ];
}
