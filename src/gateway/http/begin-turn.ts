import type { AgentRequest, Turn, Turns } from "../turn.ts";
import { LATE, type ReportIncident } from "./incidents.ts";
import { within } from "./within.ts";

export interface BeginTurnOptions {
  readonly turns: Turns;
  readonly timeoutMs: number;
  readonly report: ReportIncident;
}

/** Begins a turn; undefined where there is none, or where ours failed or took too long, which is reported. */
export async function beginTurn(
  request: AgentRequest,
  { turns, timeoutMs, report }: BeginTurnOptions,
): Promise<Turn | undefined> {
  const begun = await within(timeoutMs, () => turns.begin(request));
  if (begun.type === "done") return begun.value;
  report("beginning a turn", begun.type === "failed" ? begun.error : LATE);
  if (begun.type === "late") {
    begun.whenDone.then(
      (turn) => turn && endUnsent(turn, report),
      () => {},
    );
  }
  return undefined;
}

/** Ends a turn whose request was not sent, or not as the turn has it. */
export function endUnsent(turn: Turn, report: ReportIncident): void {
  try {
    turn.end({ status: undefined, isComplete: false });
  } catch (error) {
    report("ending a turn", error);
  }
}
