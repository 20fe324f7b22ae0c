import type { CacheDiagnosis } from "../../core/statement/cache-diagnosis.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { promptTokensOf } from "../prompt-tokens-of.ts";
import type { AnsweredRequest, PromptReport } from "./record-request.ts";
import type { TurnContext, TurnState } from "./turn-state.ts";

export interface RecordedTurn {
  readonly context: TurnContext;
  readonly state: TurnState;
  /** Whether the statement keeps the bodies. */
  readonly keepsBodies: boolean;
  readonly cacheDiagnosis: CacheDiagnosis | undefined;
  /** The report that the session learns from; undefined where it learns nothing. */
  readonly report: PromptReport | undefined;
}

/**
 * The requests that a turn adds to its session's statement: its first one, and one more for each time that the gateway answered calls of the
 * recall tool. Only the first request may show the session's view, and only its report teaches something.
 */
export function* requestsToRecord(turn: RecordedTurn, usage: ReportedUsage | undefined): Generator<AnsweredRequest> {
  const { context, state, keepsBodies, cacheDiagnosis, report } = turn;
  const at = context.startedAt;
  const wire = context.model.api;
  const { tokensSent } = state.outgoing;
  const bodies = state.loop?.bodies() ?? [];
  const [first, ...later] = roundUsages(state, usage);
  const body = keepsBodies ? firstBody(turn) : undefined;
  yield { at, usage: first, tokensSent, isView: state.recordedAs !== "none", body, cacheDiagnosis, report };
  for (const [index, each] of later.entries()) {
    yield {
      at,
      usage: each,
      tokensSent: each === undefined ? tokensSent : promptTokensOf(each),
      isView: false,
      body: keepsBodies ? { wire, bytes: Buffer.from(bodies[index] ?? ""), isAsItCame: false } : undefined,
    };
  }
}

function firstBody({ context: { incoming, model }, state: { sentBody } }: RecordedTurn): AnsweredRequest["body"] {
  const isAsItCame = sentBody === undefined;
  return { wire: model.api, bytes: isAsItCame ? incoming.body : Buffer.from(sentBody), isAsItCame };
}

/** The usage of each request of a turn, in order. */
export function roundUsages(
  { loop }: TurnState,
  usage: ReportedUsage | undefined,
): readonly (ReportedUsage | undefined)[] {
  const usages = loop?.usages() ?? [];
  return usages.length === 0 ? [usage] : usages;
}
