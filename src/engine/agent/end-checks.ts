import { xmlText } from "../../core/layers/context/xml.ts";
import type { TaskOutcome } from "../../core/layers/task-description.ts";
import type { CriterionResult } from "../../core/layers/task-layer.ts";
import { setCriteria } from "../../core/layers/updates/runtime.ts";
import { checkCriteria } from "./check-criteria.ts";
import type { Agent } from "./open-agent.ts";
import type { TaskResult } from "./task-result.ts";

/** What the checks at the end of a task found. */
export type EndReport = Pick<TaskResult, "criteria" | "verdict">;

/** Checks what a task came to, and says how often the model is sent back to work for it. */
export interface EndChecks {
  /** Checks once for each number of steps: where nothing was done since, nothing has changed. */
  check(outcome: TaskOutcome, signal: AbortSignal | undefined): Promise<EndReport>;
  /** What the model is told about a report so that it goes on; undefined where it has been told often enough, or all is well. */
  demand(report: EndReport): string | undefined;
}

export function createEndChecks(agent: Agent): EndChecks {
  let last: { readonly steps: number; readonly report: EndReport } | undefined;
  let criteriaRounds = 0;
  return {
    check: async (outcome, signal) => {
      if (last?.steps === outcome.steps) return last.report;
      const criteria = await checkCriteria(agent, outcome, signal);
      agent.update((state) => setCriteria(state, criteria));
      const report = { criteria, verdict: verdictOf(criteria) };
      last = { steps: outcome.steps, report };
      return report;
    },
    demand: ({ criteria }) => {
      const unmet = criteria.filter(({ status }) => status === "unmet");
      if (unmet.length === 0 || criteriaRounds >= agent.limits.maxCriteriaRounds) return undefined;
      criteriaRounds += 1;
      return reminderOf(demandCriteria(unmet));
    },
  };
}

function verdictOf(criteria: readonly CriterionResult[]): EndReport["verdict"] {
  if (criteria.some(({ status }) => status === "unmet")) return "unmet";
  return criteria.some(({ status }) => status === "met") ? "met" : "unchecked";
}

function demandCriteria(unmet: readonly CriterionResult[]): readonly string[] {
  return [
    `The task is not done: ${unmet.length === 1 ? "a success criterion is" : `${unmet.length} success criteria are`} not met.`,
    ...unmet.map(({ description, reason = "" }) => `- ${description}${reason === "" ? "" : ` (checked: ${reason})`}`),
    "Go on until this is met. If it cannot be met, say why.",
  ];
}

/** Marked as what no person said: it must not pass for the newest request. Reasons may come from tools, so they are escaped. */
function reminderOf(lines: readonly string[]): string {
  return `<system-reminder>\n${xmlText(lines.join("\n"))}\n</system-reminder>`;
}
