import type { LayeredState } from "../../core/layers/layered-state.ts";
import { nextPhase } from "../../core/layers/updates/phases.ts";
import { addUse } from "../../core/layers/updates/runtime.ts";
import { checkpointAgent } from "./checkpoint-agent.ts";
import { guardedRun } from "./guarded-run.ts";
import { decisionsOf, noteCalls, noteReply } from "./note-step.ts";
import type { Agent } from "./open-agent.ts";
import { createOwnTools } from "./own-tools.ts";
import { createPromptKeeper, type PromptKeeper } from "./prompt-keeper.ts";
import { type ModelTurn, readTurn } from "./read-turn.ts";
import { type CallRun, type FinishedCall, runCalls } from "./run-calls.ts";

/** The result of one reply of the model. */
export interface LoopStep {
  readonly text: string;
  /** Whether the reply had no calls, or the agent has entered the phase "completed". */
  readonly isDone: boolean;
  /** Whether all calls of the reply were over the task's limit. */
  readonly isOutOfCalls: boolean;
}

export interface Loop {
  /** Asks the model once, and runs the calls of its reply. */
  step(signal: AbortSignal | undefined): Promise<LoopStep>;
}

/** The models' default; an agent that needs another one sets it in its handler. */
const TEMPERATURE = 1;

export function createLoop(agent: Agent): Loop {
  const own = createOwnTools(agent);
  const prompt = createPromptKeeper(agent);
  const movePhase = createPhaseMover(agent);
  return {
    step: async (signal) => {
      const before = agent.state();
      const turn = await askModel(agent, prompt, signal);
      const { text } = turn;
      agent.update((state) => noteReply(state, text, agent.now()));
      for (const content of decisionsOf(text)) agent.audit.add({ type: "decision", at: agent.now(), content });
      if (turn.calls.length === 0) return { text, isDone: true, isOutOfCalls: false };
      const finished = await answerCalls(agent, turn, { own, checkArguments: prompt.checkArguments, signal });
      agent.update((state) => noteCalls(state, finished, agent.now()));
      movePhase(before, finished);
      await checkpointAgent(agent);
      signal?.throwIfAborted();
      return {
        text,
        isDone: agent.state().l2_runtime.phase === "completed",
        isOutOfCalls: finished.every(({ outcome }) => outcome === "over-limit"),
      };
    },
  };
}

async function askModel(agent: Agent, prompt: PromptKeeper, signal: AbortSignal | undefined): Promise<ModelTurn> {
  const { session, options, limits } = agent;
  const { systemPrompt, tools, messages, costUsd: preparingUsd } = await prompt.prepare(signal);
  agent.update((state) => addUse(state, { costUsd: preparingUsd }));
  const turn = await readTurn(
    {
      ...{ handler: options.model, systemPrompt, messages, tools, signal },
      maxOutputTokens: agent.window().maxOutputTokens,
      temperature: TEMPERATURE,
      timeoutMs: limits.modelTimeoutMs,
    },
    agent.registry,
  );
  const { usage, costUsd } = turn;
  agent.update((state) => addUse(state, { modelCalls: 1, costUsd, ...tokensOf(usage) }));
  await session.append({ ...turn.message, ts: agent.now() });
  if (usage !== undefined) session.observe(usage);
  return turn;
}

/** Runs the calls of a reply and appends their results before anything else happens, also when the task is aborted. */
async function answerCalls(
  agent: Agent,
  { calls }: ModelTurn,
  run: Pick<CallRun, "own" | "checkArguments" | "signal">,
): Promise<readonly FinishedCall[]> {
  const { constraints } = agent.state().l0_system;
  const finished = await runCalls(calls, {
    ...guardedRun(agent),
    ...run,
    callsLeft: constraints.maxToolCalls - agent.state().l2_runtime.resources.toolCalls,
  });
  await agent.session.append({ role: "user", content: finished.map(({ result }) => result), ts: agent.now() });
  return finished;
}

/** Returns a function that moves the agent to its next phase after calls, unless the agent has just changed the phase itself. */
function createPhaseMover(agent: Agent): (before: LayeredState, finished: readonly FinishedCall[]) => void {
  let phaseSteps = { phase: "", steps: 0 };
  let failuresInARow = 0;
  return (before, finished) => {
    const { phase } = agent.state().l2_runtime;
    phaseSteps = { phase, steps: phaseSteps.phase === phase ? phaseSteps.steps + 1 : 1 };
    failuresInARow = finished.some(({ outcome }) => outcome === "success") ? 0 : failuresInARow + 1;
    if (before.l2_runtime.phase !== phase) return;
    const hasActed = finished.some(({ call, outcome }) => outcome === "success" && acts(agent, call.name));
    const next = nextPhase({ phase, stepsInPhase: phaseSteps.steps, hasActed, failuresInARow });
    if (next === undefined) return;
    if (next.phase === "reflecting") failuresInARow = 0;
    agent.enterPhase(next.phase, next.reason);
  };
}

function tokensOf(usage: ModelTurn["usage"]) {
  if (usage === undefined) return {};
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const sent = inputTokens + cacheReadTokens + cacheWriteTokens;
  return { inputTokens: sent, outputTokens, cached: cacheReadTokens };
}

function acts({ tools }: Agent, toolName: string): boolean {
  const permissions = tools.find(({ name }) => name === toolName)?.permissions ?? [];
  return permissions.some((permission) => permission !== "read");
}
