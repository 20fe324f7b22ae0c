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

/** What one reply of the model came to. */
export interface LoopStep {
  readonly text: string;
  /** It called nothing: there is nothing more to do. */
  readonly isDone: boolean;
  /** It called, though all calls were made already. */
  readonly isOutOfCalls: boolean;
}

export interface Loop {
  /** Asks the model once, and runs what it calls. */
  step(signal: AbortSignal | undefined): Promise<LoopStep>;
}

/** The model's own; agents that need another set it in their handler. */
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

/** Every call has a result in the log before anything else happens, whoever stops the agent. */
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

/** Moves the agent to its next phase after calls, unless it has moved itself. */
function createPhaseMover(agent: Agent): (before: LayeredState, finished: readonly FinishedCall[]) => void {
  let phaseSteps = { phase: "", steps: 0 };
  let failuresInARow = 0;
  return (before, finished) => {
    const { phase } = agent.state().l2_runtime;
    phaseSteps = { phase, steps: phaseSteps.phase === phase ? phaseSteps.steps + 1 : 1 };
    failuresInARow = finished.some(({ outcome }) => outcome === "success") ? 0 : failuresInARow + 1;
    // The agent itself has just decided where it goes.
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
