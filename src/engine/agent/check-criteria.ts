import { describeValue } from "../../core/assert.ts";
import { describeError } from "../../core/describe-error.ts";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { type CriterionValidator, findValidator, type TaskOutcome } from "../../core/layers/task-description.ts";
import type { CriterionResult, SuccessCriterion, ToolValidator } from "../../core/layers/task-layer.ts";
import { withTimeLimit } from "../time-limit.ts";
import { createArgumentCheck } from "../tools/check-arguments.ts";
import { guardedRun } from "./guarded-run.ts";
import { contentText } from "./note-step.ts";
import type { Agent } from "./open-agent.ts";
import { orAborted } from "./or-aborted.ts";
import { runCalls } from "./run-calls.ts";

/** The longest reason in the context and in reminders to the model. The log has the whole output of a tool. */
const MAX_REASON_CHARACTERS = 500;

type Finding = Pick<CriterionResult, "status" | "reason">;

/**
 * Checks the success criteria of an agent's task, all at the same time. Where a validator throws, hangs or returns no verdict, its criterion is unmet,
 * with the reason. Rejects only when aborted.
 */
export async function checkCriteria(
  agent: Agent,
  outcome: TaskOutcome,
  signal: AbortSignal | undefined,
): Promise<readonly CriterionResult[]> {
  const { successCriteria } = agent.state().l1_task;
  const results = await Promise.all(
    successCriteria.map(async (criterion, index) => {
      if (typeof criterion === "string") return { description: criterion, status: "unchecked" as const };
      const { status, reason = "" } = await checkCriterion(agent, criterion, { outcome, signal, index });
      const clipped = reason === "" ? {} : { reason: reason.slice(0, MAX_REASON_CHARACTERS) };
      return { description: criterion.description, status, ...clipped };
    }),
  );
  signal?.throwIfAborted();
  for (const result of results) agent.audit.add({ type: "criterion", at: agent.now(), ...result });
  return results;
}

interface CheckRun {
  readonly outcome: TaskOutcome;
  readonly signal: AbortSignal | undefined;
  /** The criterion's place in the task. */
  readonly index: number;
}

async function checkCriterion(
  agent: Agent,
  { description, validator }: SuccessCriterion,
  run: CheckRun,
): Promise<Finding> {
  if (validator === undefined) return { status: "unchecked" };
  if (validator !== "function") return callTool(agent, validator, run);
  const decide = findValidator(agent.options.task, description, run.index);
  if (decide === undefined) {
    return unmet("Its validator is a function, and the task that this agent was opened with has none for it.");
  }
  return callFunction(decide, agent.limits.validatorTimeoutMs, run);
}

async function callFunction(
  decide: CriterionValidator,
  timeoutMs: number,
  { outcome, signal }: CheckRun,
): Promise<Finding> {
  const timeout = new AbortController();
  const either = AbortSignal.any([timeout.signal, ...(signal === undefined ? [] : [signal])]);
  try {
    const deciding = Promise.resolve().then(() => decide(outcome, { signal: either }));
    return readVerdict(await orAborted(withTimeLimit(deciding, timeoutMs), signal));
  } catch (error) {
    return unmet(`Its validator failed: ${describeError(error)}`);
  } finally {
    timeout.abort(new Error("Nobody waits for this validator any more."));
  }
}

/** Reads a verdict. Only `true` or `{ isMet: true }` counts as met: validators are a user's code. */
function readVerdict(verdict: unknown): Finding {
  if (typeof verdict === "boolean") return verdict ? { status: "met" } : unmet("Its validator says no.");
  const isMet: unknown = typeof verdict === "object" && verdict !== null ? Reflect.get(verdict, "isMet") : undefined;
  if (typeof isMet !== "boolean") {
    return unmet(`Its validator gave ${describeValue(verdict)}; it must give true, false or { isMet, reason }.`);
  }
  const given: unknown = Reflect.get(Object(verdict), "reason");
  const reason = typeof given === "string" ? given : "";
  return isMet ? { status: "met", reason } : unmet(reason || "Its validator says no.");
}

/** Checks a criterion by a tool. The call is guarded and audited like any other, but does not count towards the task's calls: the model did not make it. */
async function callTool(agent: Agent, { tool, input }: ToolValidator, { signal, index }: CheckRun): Promise<Finding> {
  const call = { type: "tool_use" as const, id: `criterion-${index + 1}`, name: tool, input };
  const [finished] = await runCalls([call], {
    ...guardedRun(agent),
    own: { has: () => false, execute: (each, options) => agent.options.executor.execute(each, options) },
    checkArguments: await createArgumentCheck(agent.options.tools),
    ...{ signal, callsLeft: 1 },
  });
  if (finished === undefined) return unmet("The call was not made.");
  const said = contentText(finished.result.content ?? "").trim();
  if (finished.outcome !== "success") return unmet(said);
  const verdict = tryParseJson(said);
  return isVerdict(verdict) ? readVerdict(verdict) : { status: "met" };
}

function isVerdict(value: unknown): boolean {
  return typeof value === "boolean" || (typeof value === "object" && value !== null && "isMet" in value);
}

function unmet(reason: string): Finding {
  return { status: "unmet", reason };
}
