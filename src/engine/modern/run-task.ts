import { addUse } from "../../core/layers/updates/runtime.ts";
import { expire } from "../../core/layers/updates/time-to-live.ts";
import type { Message, ToolResultBlock } from "../../core/message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../core/message/tool-pairs.ts";
import { createLoop } from "./loop-step.ts";
import type { Agent } from "./open-agent.ts";
import type { ExecuteOptions, TaskResult } from "./task-result.ts";

/** Says something to the agent and lets it work until it is done. */
export async function runTask(agent: Agent, input: string, options: ExecuteOptions): Promise<TaskResult> {
  await beginTask(agent, input, options);
  return goOn(agent, options);
}

/** Appends what was said. Calls that an earlier run left without results get them first. */
export async function beginTask(agent: Agent, input: string, { signal }: ExecuteOptions): Promise<void> {
  signal?.throwIfAborted();
  const { session, now } = agent;
  const results = openCalls(await session.log());
  const said: Message = {
    role: "user",
    content: results.length === 0 ? input : [...results, { type: "text", text: input }],
    ts: now(),
  };
  await session.append(said);
  agent.update((state) => expire(state, now()));
  agent.enterPhase("planning", "The task begins.");
}

/** Lets the agent work until it is done, a limit is reached, or it is stopped. */
export async function goOn(agent: Agent, { signal }: ExecuteOptions): Promise<TaskResult> {
  const loop = createLoop(agent);
  const clock = createClock(agent);
  let text = "";
  for (let steps = 0; ; steps++) {
    signal?.throwIfAborted();
    clock.tick();
    const reason = limitReached(agent, steps);
    if (reason !== undefined) return resultOf(agent, { type: "stopped", reason, text, steps });
    const step = await loop.step(signal);
    clock.tick();
    if (step.text !== "") text = step.text;
    if (!step.isDone) continue;
    agent.enterPhase("completed", "The agent has nothing more to do.");
    await checkpointAgent(agent);
    return resultOf(agent, { type: "completed", text, steps: steps + 1 });
  }
}

/** Keeps log, state and files, where a checkpoint is due and there is a store to keep them in. */
export async function checkpointAgent({ options, session, state, savedState }: Agent): Promise<void> {
  if (options.store === undefined) return;
  await session.checkpointIfDue({ phase: state().l2_runtime.phase, state: savedState() });
}

/** Adds the time that passes to what the task has used. */
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

function limitReached({ state, limits }: Agent, steps: number): string | undefined {
  const { constraints } = state().l0_system;
  const { toolCalls, elapsedMs, costUsd } = state().l2_runtime.resources;
  const { maxToolCalls, maxExecutionTimeMs, maxCostUsd = Number.POSITIVE_INFINITY } = constraints;
  if (steps >= limits.maxSteps) return `The model replied ${steps} times without coming to an end.`;
  if (toolCalls >= maxToolCalls) return `All ${maxToolCalls} tool calls of the task are used.`;
  if (elapsedMs >= maxExecutionTimeMs) return `The ${maxExecutionTimeMs} ms of the task are over.`;
  return costUsd >= maxCostUsd ? `The ${maxCostUsd} USD of the task are spent.` : undefined;
}

function resultOf({ state }: Agent, ended: Pick<TaskResult, "type" | "reason" | "text" | "steps">): TaskResult {
  const { toolCalls, costUsd } = state().l2_runtime.resources;
  return { ...ended, toolCalls, costUsd, state: state() };
}

/** Results for calls at the end of the log that never got any: the process ended before they did. */
function openCalls(log: readonly Message[]): readonly ToolResultBlock[] {
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
