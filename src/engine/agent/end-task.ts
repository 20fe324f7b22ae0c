import type { TaskOutcome } from "../../core/layers/task-description.ts";
import { checkpointAgent, keepAgent } from "./checkpoint-agent.ts";
import { createEndChecks, type EndReport } from "./end-checks.ts";
import { noteCompletion } from "./note-step.ts";
import type { Agent } from "./open-agent.ts";
import type { TaskResult } from "./task-result.ts";

/** How far a task has come. */
export type Progress = Pick<TaskOutcome, "steps" | "text">;
/** Which limit was reached, and in words. */
export type Stop = Required<Pick<TaskOutcome, "limit" | "reason">>;
type Ended = Pick<TaskOutcome, "type" | "limit" | "reason">;

/** Brings a task to its end, or sends the model back to work. */
export interface TaskEnding {
  /** Undefined as long as the task goes on. */
  result(): TaskResult | undefined;
  stop(progress: Progress, reached: Stop): Promise<TaskResult>;
  /** Undefined where the result is not what the task demands and the model is to go on: call {@link TaskEnding.resume} then. */
  complete(progress: Progress): Promise<TaskResult | undefined>;
  /** Tells the model what is missing, if anything is. */
  resume(): Promise<void>;
}

export interface EndingOptions {
  readonly signal: AbortSignal | undefined;
  /** Adds the time that passes to what the task has used. */
  readonly tick: () => void;
}

export function createEnding(agent: Agent, { signal, tick }: EndingOptions): TaskEnding {
  const checks = createEndChecks(agent);
  let result: TaskResult | undefined;
  /** What the model is to be told before it goes on. */
  let demand: string | undefined;

  async function check(outcome: TaskOutcome): Promise<EndReport> {
    const report = await checks.check(outcome, signal);
    tick();
    return report;
  }

  return {
    result: () => result,
    stop: async (progress, reached) => {
      const ended = { type: "stopped", ...reached } as const;
      const report = await check(outcomeOf(agent, progress, ended));
      result = { ...outcomeOf(agent, progress, ended), ...report };
      // What was used is kept as well: a checkpoint need not be due.
      await keepAgent(agent);
      return result;
    },
    complete: async (progress) => {
      const ended = { type: "completed" } as const;
      const report = await check(outcomeOf(agent, progress, ended));
      demand = checks.demand(report);
      if (demand !== undefined) return undefined;
      agent.enterPhase("completed", "The agent has nothing more to do.");
      // What is not met is no milestone.
      if (report.verdict !== "unmet") agent.update((state) => noteCompletion(state, progress.text, agent.now()));
      result = { ...outcomeOf(agent, progress, ended), ...report };
      await checkpointAgent(agent);
      return result;
    },
    resume: async () => {
      if (demand === undefined) return;
      await agent.session.append({ role: "user", content: demand, ts: agent.now() });
      demand = undefined;
      resumeWork(agent);
    },
  };
}

function outcomeOf(agent: Agent, { text, steps }: Progress, ended: Ended): TaskOutcome {
  const { toolCalls, costUsd } = agent.state().l2_runtime.resources;
  return { ...ended, text, steps, toolCalls, costUsd, state: agent.state() };
}

/** Back to where something can be done about what is not met; from a phase that has ended the way leads through planning. */
function resumeWork(agent: Agent): void {
  const reason = "The result is not what the task demands.";
  const { phase, criteria = [] } = agent.state().l2_runtime;
  const hasEnded = phase === "completed";
  if (hasEnded) agent.enterPhase("planning", reason);
  // A reply in the wrong format needs no other tools.
  if (hasEnded || criteria.some(({ status }) => status === "unmet")) agent.enterPhase("executing", reason);
}
