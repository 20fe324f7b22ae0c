import { assertArray, assertNumber } from "../assert.ts";
import { createEvalCase } from "./eval-case.ts";
import type { EvalSession } from "./eval-types.ts";
import { BOUNDARY_PLACES, checkPlaces, findBoundaries } from "./find-boundaries.ts";
import { findCommonIdentifiers } from "./needed/eval-identifiers.ts";

/** The questions that the evals ask a view at one boundary of a session. */
export interface SessionQuestions {
  readonly session: EvalSession;
  /** The log before it is `session.messages.slice(0, index)`. */
  readonly index: number;
  readonly logTokens: number;
  /** The identifiers that the agent used later, without reading them again in between. */
  readonly identifiers: ReadonlySet<string>;
  /** The lines that it replaced later, trimmed. */
  readonly editLines: ReadonlySet<string>;
}

export interface FindQuestionsOptions {
  /** Boundaries with a shorter log before them are left out. @default 0 */
  readonly leastLogTokens?: number;
  /** The positions of boundaries, as shares of a session's model calls. @default 0.3, 0.5, 0.7 and 0.9 */
  readonly places?: readonly number[];
}

/**
 * The questions of the evals at each boundary of the sessions, for example to fit a model that predicts them.
 * @example
 * ```ts
 * import { findQuestions } from "palimpsest/evals";
 * console.log(findQuestions([]).length); // 0
 * ```
 */
export function findQuestions(
  sessions: readonly EvalSession[],
  options: FindQuestionsOptions = {},
): readonly SessionQuestions[] {
  assertArray("sessions", sessions);
  const { leastLogTokens = 0, places = BOUNDARY_PLACES } = options;
  assertNumber("options.leastLogTokens", leastLogTokens, 0);
  checkPlaces(places);
  const measured = sessions.map((session) => ({
    session,
    boundaries: findBoundaries(session, places).filter(({ tokens }) => tokens >= leastLogTokens),
  }));
  const common = findCommonIdentifiers(
    measured.filter(({ boundaries }) => boundaries.length > 0).map(({ session }) => session),
  );
  return measured.flatMap(({ session, boundaries }) =>
    boundaries.map((boundary): SessionQuestions => {
      const { identifiers, editLines } = createEvalCase(session, boundary, common).questions;
      return { session, index: boundary.index, logTokens: boundary.tokens, identifiers, editLines };
    }),
  );
}
