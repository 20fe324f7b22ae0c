import type { TaskOutcome } from "../../core/layers/task-description.ts";
import { checkpointAgent, keepAgent } from "./checkpoint-agent.ts";
import { createEndChecks, type EndReport } from "./end-checks.ts";
import { noteCompletion } from "./note-step.ts";
import type { Agent } from "./open-agent.ts";
import type { TaskResult } from "./task-result.ts";

/** The progress of a task: its steps, and the text of its last reply. */
export type Progress = Pick<TaskOutcome, "steps" | "text">;
/** The limit that was reached, and a sentence about it. */
export type Stop = Required<Pick<TaskOutcome, "limit" | "reason">>;
type Ended = Pick<TaskOutcome, "type" | "limit" | "reason">;

/** Ends a task, or sends the model back to work. */
export interface TaskEnding {
  /** The task's result; undefined as long as the task goes on. */
  result(): TaskResult | undefined;
  stop(progress: Progress, reached: Stop): Promise<TaskResult>;
  /** Ends the task if its result is what the task demands. Undefined where the model must go on: call {@link TaskEnding.resume} then. */
  complete(progress: Progress): Promise<TaskResult | undefined>;
  /** Appends the message that sends the model back to work, if there is one. */
  resume(): Promise<void>;
}

export interface EndingOptions {
  readonly signal: AbortSignal | undefined;
  /** Adds the time since the last call to the task's elapsed time. */
  readonly tick: () => void;
}

export function createEnding(agent: Agent, { signal, tick }: EndingOptions): TaskEnding {
  const checks = createEndChecks(agent);
  let result: TaskResult | undefined;
  /** The message that sends the model back to work. */
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
      // Saved even if no checkpoint is due, to keep the used resources.
      await keepAgent(agent);
      return result;
    },
    complete: async (progress) => {
      const ended = { type: "completed" } as const;
      const report = await check(outcomeOf(agent, progress, ended));
      demand = checks.demand(report);
      if (demand !== undefined) return undefined;
      agent.enterPhase("completed", "The agent has nothing more to do.");
      // A task that did not meet its criteria is no milestone.
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

/** Moves the agent to the phase in which it can go on; from "completed", the only way leads through planning. */
function resumeWork(agent: Agent): void {
  const reason = "The result is not what the task demands.";
  const { phase, criteria = [] } = agent.state().l2_runtime;
  const hasEnded = phase === "completed";
  if (hasEnded) agent.enterPhase("planning", reason);
  // A reply in the wrong format needs no tools.
  if (hasEnded || criteria.some(({ status }) => status === "unmet")) agent.enterPhase("executing", reason);
}
