import type { LayeredState } from "../../core/layers/layered-state.ts";
import { taskConstraints } from "../../core/layers/task-layer.ts";
import { addUse } from "../../core/layers/updates/runtime.ts";
import { expire } from "../../core/layers/updates/time-to-live.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import type { Message, ToolResultBlock } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { checkpointBeginning, keepAgent } from "./checkpoint-agent.ts";
import { createEnding, type Stop } from "./end-task.ts";
import { createLoop } from "./loop-step.ts";
import type { Agent } from "./open-agent.ts";
import type { ExecuteOptions, TaskResult } from "./task-result.ts";

/** The run of one task. After an error, `proceed` may be called again: it goes on where the run has stopped. */
export interface TaskRun {
  /** Appends the input, unless the log has it, and works until the task is done, a limit is reached, or it is aborted. */
  proceed(): Promise<TaskResult>;
  /** The number of replies so far. */
  steps(): number;
  /** Whether there is a result. Saving it may have failed. */
  isFinished(): boolean;
}

export function createTaskRun(agent: Agent, input: string, { signal }: ExecuteOptions): TaskRun {
  const loop = createLoop(agent);
  const { tick } = createClock(agent);
  const begin = createBeginning(agent, input);
  const ending = createEnding(agent, { signal, tick });
  let steps = 0;
  let text = "";

  async function work(): Promise<TaskResult> {
    for (;;) {
      signal?.throwIfAborted();
      tick();
      const reached = limitReached(agent, steps);
      if (reached !== undefined) return ending.stop({ steps, text }, reached);
      await ending.resume();
      const step = await loop.step(signal);
      steps += 1;
      tick();
      if (step.text !== "") text = step.text;
      if (step.isOutOfCalls) return ending.stop({ steps, text }, outOfCalls(agent));
      const result = step.isDone ? await ending.complete({ steps, text }) : undefined;
      if (result !== undefined) return result;
    }
  }

  return {
    proceed: async () => {
      const result = ending.result();
      if (result !== undefined) {
        await keepAgent(agent);
        return result;
      }
      signal?.throwIfAborted();
      await begin();
      return work();
    },
    steps: () => steps,
    isFinished: () => ending.result() !== undefined,
  };
}

/** Returns a function that appends the input, unless the log has it already. Calls that an earlier run left without results get them first. */
function createBeginning(agent: Agent, input: string): () => Promise<void> {
  const { session, now } = agent;
  const saidAt = now();
  /** The number of messages before the first call. */
  let before: number | undefined;

  const isInput = ({ role, content, ts }: Message) => {
    const last = contentBlocks(content).at(-1);
    const said = typeof content === "string" ? content : last !== undefined && "text" in last ? last.text : undefined;
    return role === "user" && ts === saidAt && said === input;
  };

  return async () => {
    const log = (await session.log()).filter((message) => !isStandIn(message));
    const isFirst = before === undefined;
    before ??= log.length;
    const results = resultsOfOpenCalls(log);
    if (log.slice(before).some(isInput)) {
      if (results.length > 0) await session.append({ role: "user", content: results, ts: now() });
      return;
    }
    const content = results.length === 0 ? input : [...results, { type: "text", text: input }];
    await session.append({ role: "user", content, ts: saidAt });
    if (isFirst) {
      agent.resetWindow();
      agent.update((state) => expire(withoutUse(state), now()));
    }
    agent.enterPhase("planning", "The task begins.");
    await checkpointBeginning(agent);
  };
}

/** The state for a new task: used resources and criteria are those of one task. */
function withoutUse(state: LayeredState): LayeredState {
  const { criteria: _, ...runtime } = state.l2_runtime;
  const resources = { toolCalls: 0, modelCalls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0, elapsedMs: 0 };
  return { ...state, l2_runtime: { ...runtime, resources } };
}

/** Measures the task's elapsed time: each tick adds the time since the one before. */
function createClock({ now, update }: Agent): { tick(): void } {
  let last = now();
  return {
    tick: () => {
      const elapsedMs = Math.max(0, now() - last);
      last = now();
      update((state) => addUse(state, { elapsedMs }));
    },
  };
}

/** The limit that was reached; undefined where none was. The limit of calls is not among them: the model is told of it, so that it can finish. */
function limitReached({ state, limits }: Agent, steps: number): Stop | undefined {
  const { maxExecutionTimeMs, maxCostUsd = Number.POSITIVE_INFINITY } = state().l0_system.constraints;
  const { timeMs = maxExecutionTimeMs, budgetUsd = maxCostUsd } = taskConstraints(state().l1_task.constraints);
  const { elapsedMs, costUsd } = state().l2_runtime.resources;
  const longestMs = Math.min(timeMs, maxExecutionTimeMs);
  const mostUsd = Math.min(budgetUsd, maxCostUsd);
  if (steps >= limits.maxSteps) {
    return { limit: "steps", reason: `The model replied ${steps} times without coming to an end.` };
  }
  if (elapsedMs >= longestMs) return { limit: "time", reason: `The ${longestMs} ms of the task are over.` };
  return costUsd >= mostUsd ? { limit: "budget", reason: `The ${mostUsd} USD of the task are spent.` } : undefined;
}

function outOfCalls({ state }: Agent): Stop {
  const { maxToolCalls } = state().l0_system.constraints;
  return { limit: "tool-calls", reason: `All ${maxToolCalls} tool calls of the task are used.` };
}

/** Results for calls at the end of a log that have none, as the process ended or the store failed before. */
function resultsOfOpenCalls(log: readonly Message[]): readonly ToolResultBlock[] {
  const last = log.findLastIndex((message) => message.role === "assistant");
  const answered = new Set(
    log
      .slice(last + 1)
      .flatMap(({ content }) =>
        contentBlocks(content).flatMap((block) => (isToolResult(block) ? [block.tool_use_id] : [])),
      ),
  );
  const calls = contentBlocks(log[last]?.content ?? "").filter(isToolUse);
  return calls
    .filter(({ id }) => !answered.has(id))
    .map(({ id }) => ({
      type: "tool_result",
      tool_use_id: id,
      content: "The agent was stopped before this call was finished.",
      is_error: true,
    }));
}
