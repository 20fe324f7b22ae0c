import type { LayeredState } from "../../core/layers/layered-state.ts";
import { nextPhase } from "../../core/layers/updates/next-phase.ts";
import { addUse } from "../../core/layers/updates/runtime.ts";
import type { ToolSpecification } from "../../core/ports/model-handler.ts";
import { projectTools, type ToolProjection } from "../../core/tools/project-tools.ts";
import { usedTools } from "../../core/tools/used-tools.ts";
import { type ArgumentCheck, createArgumentCheck } from "../tools/check-arguments.ts";
import { noteCalls, noteReply } from "./note-step.ts";
import type { Agent } from "./open-agent.ts";
import { createOwnTools } from "./own-tools.ts";
import { type ModelTurn, readTurn } from "./read-turn.ts";
import { type FinishedCall, runCalls } from "./run-calls.ts";
import { checkpointAgent } from "./run-task.ts";
import { secretsCheck } from "./secrets.ts";

/** What one reply of the model came to. */
export interface LoopStep {
  readonly text: string;
  /** It called nothing: there is nothing more to do. */
  readonly isDone: boolean;
}

export interface Loop {
  /** Asks the model once, and runs what it calls. */
  step(signal: AbortSignal | undefined): Promise<LoopStep>;
}

/** The model's own; agents that need another set it in their handler. */
const TEMPERATURE = 1;

export function createLoop(agent: Agent): Loop {
  const { session, options, limits } = agent;
  const own = createOwnTools({ ...agent });
  let shown: { readonly projection: ToolProjection; readonly check: ArgumentCheck } | undefined;
  /** The context as the model saw it last: it stays the same until there is a reason, for the provider's cache lives on that. */
  let context: { readonly text: string; readonly phase: string } | undefined;
  let phaseSteps = { phase: "", steps: 0 };
  let failuresInARow = 0;

  async function showTools(): Promise<{ readonly projection: ToolProjection; readonly check: ArgumentCheck }> {
    const projection = projectTools(agent.state(), agent.tools, {
      unlistedTools: "show",
      ...options.projection,
      // What the model has begun with it may finish with.
      keepTools: usedTools(await session.view(), { range: "current-loop" }),
      ...(shown === undefined ? {} : { previous: shown.projection }),
    });
    const { decisions, change } = projection;
    if (shown !== undefined && !change.costsCache) return { projection, check: shown.check };
    agent.audit.add({ type: "tools", at: agent.now(), decisions, change });
    return { projection, check: await createArgumentCheck(projection.tools) };
  }

  function showContext(): string {
    const { phase } = agent.state().l2_runtime;
    if (context?.phase !== phase) context = { text: agent.builder.build(agent.state()).context, phase };
    return context.text;
  }

  async function ask(signal: AbortSignal | undefined): Promise<ModelTurn> {
    shown = await showTools();
    const systemPrompt = showContext();
    const tools: readonly ToolSpecification[] = shown.projection.tools;
    session.usePrompt({ systemPrompt, tools });
    const { messages, report } = await session.prepare({ signal });
    // The cached prompt is gone anyway: the next one may say what has changed.
    if (report.foldIds.length > 0) context = undefined;
    const turn = await readTurn({
      handler: options.model,
      systemPrompt,
      messages,
      tools,
      maxOutputTokens: agent.maxOutputTokens,
      temperature: TEMPERATURE,
      timeoutMs: limits.modelTimeoutMs,
      signal,
    });
    const { usage, costUsd } = turn;
    agent.update((state) => addUse(state, { modelCalls: 1, costUsd: costUsd + report.cost, ...tokensOf(usage) }));
    await session.append({ ...turn.message, ts: agent.now() });
    if (usage !== undefined) session.observe(usage);
    return turn;
  }

  /** Every call has a result in the log before anything else happens, whoever stops the agent. */
  async function answer({ calls }: ModelTurn, signal: AbortSignal | undefined): Promise<readonly FinishedCall[]> {
    const { constraints } = agent.state().l0_system;
    const finished = await runCalls(calls, {
      state: agent.state(),
      tools: agent.tools,
      checkArguments: shown?.check ?? (() => ({ isValid: false, errors: ["No tools can be called now."] })),
      policyChecks: [secretsCheck, ...(options.policyChecks ?? [])],
      approve: options.approve ?? (() => false),
      audit: agent.audit,
      now: agent.now,
      executor: options.executor,
      own,
      callsLeft: constraints.maxToolCalls - agent.state().l2_runtime.resources.toolCalls,
      toolTimeoutMs: limits.toolTimeoutMs,
      signal,
    });
    await session.append({ role: "user", content: finished.map(({ result }) => result), ts: agent.now() });
    return finished;
  }

  function movePhase(before: LayeredState, finished: readonly FinishedCall[]): void {
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
  }

  return {
    step: async (signal) => {
      const before = agent.state();
      const turn = await ask(signal);
      agent.update((state) => noteReply(state, turn.text, agent.now()));
      if (turn.calls.length === 0) return { text: turn.text, isDone: true };
      const finished = await answer(turn, signal);
      agent.update((state) => noteCalls(state, finished, agent.now()));
      movePhase(before, finished);
      await checkpointAgent(agent);
      signal?.throwIfAborted();
      return { text: turn.text, isDone: agent.state().l2_runtime.phase === "completed" };
    },
  };
}

function tokensOf(usage: ModelTurn["usage"]) {
  if (usage === undefined) return {};
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  return { inputTokens: inputTokens + cacheReadTokens + cacheWriteTokens, outputTokens };
}

function acts({ tools }: Agent, toolName: string): boolean {
  const permissions = tools.find(({ name }) => name === toolName)?.permissions ?? [];
  return permissions.some((permission) => permission !== "read");
}
