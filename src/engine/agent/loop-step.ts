import type { LayeredState } from "../../core/layers/layered-state.ts";
import { nextPhase } from "../../core/layers/updates/next-phase.ts";
import { addUse } from "../../core/layers/updates/runtime.ts";
import { checkpointAgent } from "./checkpoint-agent.ts";
import type { PolicyCheck } from "./modern-options.ts";
import { noteCalls, noteReply } from "./note-step.ts";
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
  const { session, options, limits } = agent;
  const { constraints } = agent.state().l0_system;
  const finished = await runCalls(calls, {
    ...run,
    state: agent.state(),
    tools: agent.tools,
    policyChecks: [secretsCheck, ...(options.policyChecks ?? [])],
    approve: options.approve ?? (() => false),
    approvalTimeoutMs: limits.approvalTimeoutMs,
    ...{ audit: agent.audit, now: agent.now, executor: options.executor },
    callsLeft: constraints.maxToolCalls - agent.state().l2_runtime.resources.toolCalls,
    toolTimeoutMs: limits.toolTimeoutMs,
  });
  await session.append({ role: "user", content: finished.map(({ result }) => result), ts: agent.now() });
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

/** Forms that keys and tokens are given in so that they can be recognised. */
const SECRET_FORMS: Readonly<Record<string, RegExp>> = {
  "a private key": /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/,
  "an AWS access key": /\bAKIA[0-9A-Z]{16}\b/,
  "a GitHub token": /\bgh[pousr]_[A-Za-z0-9]{36,255}\b/,
  "an API key": /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{32,200}\b/,
  "a Google API key": /\bAIza[0-9A-Za-z_-]{35}\b/,
  "a Slack token": /\bxox[abprs]-[0-9A-Za-z-]{10,200}\b/,
};

/** The check behind the default policy "no-secrets": no call carries a key out. */
const secretsCheck: PolicyCheck = {
  policyId: "no-secrets",
  check: ({ input }) => {
    const text = JSON.stringify(input) ?? "";
    const found = Object.entries(SECRET_FORMS).find(([, form]) => form.test(text));
    return found === undefined ? undefined : `The arguments hold ${found[0]}.`;
  },
};
