import type { RuntimeLayer } from "../../core/layers/layered-state.ts";
import { addUse } from "../../core/layers/updates/runtime.ts";
import type { Message } from "../../core/message/message.ts";
import { projectTools, type ToolProjection } from "../../core/tools/project-tools.ts";
import type { SentTool } from "../../core/tools/tool-definition.ts";
import { usedTools } from "../../core/tools/used-tools.ts";
import { type ArgumentCheck, createArgumentCheck } from "../tools/check-arguments.ts";
import type { Agent, WindowParts } from "./open-agent.ts";

/** All that is sent to the model. */
export interface AgentPrompt {
  readonly systemPrompt: string;
  readonly tools: readonly SentTool[];
  readonly messages: readonly Message[];
  /** What making it fit cost. */
  readonly costUsd: number;
}

/** Writes an agent's prompts, each as like the one before as can be: the provider's cache lives on that. */
export interface PromptKeeper {
  prepare(signal: AbortSignal | undefined): Promise<AgentPrompt>;
  /** Holds calls to the tools that were sent last. */
  readonly checkArguments: ArgumentCheck;
}

interface ShownContext {
  readonly text: string;
  readonly phase: string;
  readonly criteria: RuntimeLayer["criteria"];
  readonly window: WindowParts;
}

export function createPromptKeeper(agent: Agent): PromptKeeper {
  const { session, options } = agent;
  let shown: { readonly projection: ToolProjection; readonly check: ArgumentCheck } | undefined;
  /** The context as the model saw it last: it stays the same until there is a reason. */
  let context: ShownContext | undefined;

  async function showTools(): Promise<readonly SentTool[]> {
    const projection = projectTools(agent.state(), agent.tools, {
      unlistedTools: "show",
      ...options.projection,
      // What the model has begun with it may finish with.
      keepTools: usedTools(await session.view(), { range: "current-loop" }),
      ...(shown === undefined ? {} : { previous: shown.projection }),
      ...(options.countTokens === undefined ? {} : { countTokens: options.countTokens }),
    });
    const { decisions, change, tools } = projection;
    if (shown !== undefined && !change.costsCache) return shown.projection.tools;
    agent.audit.add({ type: "tools", at: agent.now(), decisions, change });
    shown = { projection, check: await createArgumentCheck(tools) };
    return tools;
  }

  async function showContext(signal: AbortSignal | undefined): Promise<string> {
    const { phase, criteria } = agent.state().l2_runtime;
    const window = agent.window();
    if (context?.phase !== phase || context.criteria !== criteria || context.window !== window) {
      context = { text: await buildContext(agent, signal), phase, criteria, window };
    }
    return context.text;
  }

  async function fitView(tools: readonly SentTool[], signal: AbortSignal | undefined) {
    const systemPrompt = await showContext(signal);
    session.usePrompt({ systemPrompt, tools });
    return { systemPrompt, prepared: await session.prepare({ signal }) };
  }

  return {
    prepare: async (signal) => {
      const tools = await showTools();
      const first = await fitView(tools, signal);
      const { foldIds, cost } = first.prepared.report;
      if (foldIds.length === 0) return promptOf(first, tools, cost);
      // The cached prompt is gone anyway: this is the moment to say what has changed.
      context = undefined;
      const second = await fitView(tools, signal);
      return promptOf(second, tools, cost + second.prepared.report.cost);
    },
    checkArguments: (toolName, input) =>
      shown?.check(toolName, input) ?? { isValid: false, errors: ["No tools can be called now."] },
  };
}

/** Once more where a model has shortened what had no room. */
async function buildContext(agent: Agent, signal: AbortSignal | undefined): Promise<string> {
  const { builder } = agent.window();
  const { context } = builder.build(agent.state());
  if (agent.shortener === undefined) return context;
  const { isNew, costUsd } = await agent.shortener.write(signal);
  agent.update((state) => addUse(state, { costUsd }));
  return isNew ? builder.build(agent.state()).context : context;
}

function promptOf(
  { systemPrompt, prepared }: { readonly systemPrompt: string; readonly prepared: Pick<AgentPrompt, "messages"> },
  tools: readonly SentTool[],
  costUsd: number,
): AgentPrompt {
  return { systemPrompt, tools, messages: prepared.messages, costUsd };
}
