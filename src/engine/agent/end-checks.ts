import { xmlText } from "../../core/layers/context/context-syntax.ts";
import type { TaskOutcome } from "../../core/layers/task-description.ts";
import type { CriterionResult } from "../../core/layers/task-layer.ts";
import { setCriteria } from "../../core/layers/updates/runtime.ts";
import { checkCriteria } from "./check-criteria.ts";
import { checkOutput } from "./check-output.ts";
import type { Agent } from "./open-agent.ts";
import type { OutputReport, TaskResult } from "./task-result.ts";

/** The findings of the checks at the end of a task. */
export type EndReport = Pick<TaskResult, "criteria" | "output" | "verdict">;

/** Checks the result of a task, and decides how often the model must go on because of it. */
export interface EndChecks {
  /** Checks the result, once for each number of steps: without a step, nothing has changed. */
  check(outcome: TaskOutcome, signal: AbortSignal | undefined): Promise<EndReport>;
  /** The message that sends the model back to work; undefined where nothing is wrong, or it was sent back often enough. */
  demand(report: EndReport): string | undefined;
}

export function createEndChecks(agent: Agent): EndChecks {
  let last: { readonly steps: number; readonly report: EndReport } | undefined;
  let criteriaRounds = 0;
  let outputRetries = 0;
  return {
    check: async (outcome, signal) => {
      if (last?.steps === outcome.steps) return last.report;
      const report = await checkEnd(agent, outcome, signal);
      last = { steps: outcome.steps, report };
      return report;
    },
    demand: ({ criteria, output }) => {
      const unmet = criteria.filter(({ status }) => status === "unmet");
      const errors = output?.status === "invalid" ? output.errors : [];
      if (unmet.length > 0 && criteriaRounds < agent.limits.maxCriteriaRounds) criteriaRounds += 1;
      else if (errors.length > 0 && outputRetries < agent.limits.maxOutputRetries) outputRetries += 1;
      else return undefined;
      return reminderOf([...unmetCriteriaLines(unmet), ...invalidOutputLines(errors)]);
    },
  };
}

async function checkEnd(agent: Agent, outcome: TaskOutcome, signal: AbortSignal | undefined): Promise<EndReport> {
  const criteria = await checkCriteria(agent, outcome, signal);
  if (criteria.length > 0) agent.update((state) => setCriteria(state, criteria));
  const output = await checkOutput(agent.state().l1_task.outputFormat, outcome.text);
  if (output === undefined) return { criteria, verdict: verdictOf(criteria, output) };
  const { status } = output;
  const errors = status === "invalid" ? { errors: output.errors } : {};
  agent.audit.add({ type: "output", at: agent.now(), status, ...errors });
  return { criteria, output, verdict: verdictOf(criteria, output) };
}

function verdictOf(criteria: readonly CriterionResult[], output: OutputReport | undefined): EndReport["verdict"] {
  if (output?.status === "invalid" || criteria.some(({ status }) => status === "unmet")) return "unmet";
  return output?.status === "valid" || criteria.some(({ status }) => status === "met") ? "met" : "unchecked";
}

function unmetCriteriaLines(unmet: readonly CriterionResult[]): readonly string[] {
  if (unmet.length === 0) return [];
  const which = unmet.length === 1 ? "a success criterion is" : `${unmet.length} success criteria are`;
  return [
    `The task is not done: ${which} not met.`,
    ...unmet.map(({ description, reason = "" }) => `- ${description}${reason === "" ? "" : ` (checked: ${reason})`}`),
    "Go on until this is met. If it cannot be met, say why.",
  ];
}

function invalidOutputLines(errors: readonly string[]): readonly string[] {
  if (errors.length === 0) return [];
  const listed = errors.map((error) => `- ${error}`);
  return [
    "Your last reply is not in the output format of the task.",
    ...listed,
    "Send the whole reply again, in that format.",
  ];
}

/** A message that is marked as not from a person, so that it does not count as the newest request. Reasons may come from tools: they are escaped. */
function reminderOf(lines: readonly string[]): string {
  return `<system-reminder>\n${xmlText(lines.join("\n"))}\n</system-reminder>`;
}
