import type { RuntimeLayer } from "../../core/layers/layered-state.ts";
import { addUse } from "../../core/layers/updates/runtime.ts";
import type { Message } from "../../core/message/message.ts";
import { projectTools, type ToolProjection } from "../../core/tools/project-tools.ts";
import type { SentTool } from "../../core/tools/tool-definition.ts";
import { usedTools } from "../../core/tools/used-tools.ts";
import { type ArgumentCheck, createArgumentCheck } from "../tools/check-arguments.ts";
import type { Agent, WindowParts } from "./open-agent.ts";

/** One request to the model. */
export interface AgentPrompt {
  readonly systemPrompt: string;
  readonly tools: readonly SentTool[];
  readonly messages: readonly Message[];
  /** The cost of condensing for it. */
  readonly costUsd: number;
}

/** Writes an agent's prompts. Tools and context stay the same from prompt to prompt where they can, for the provider's cache. */
export interface PromptKeeper {
  prepare(signal: AbortSignal | undefined): Promise<AgentPrompt>;
  /** Checks calls against the tools that were sent last. */
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
  /** The context that was sent last. It is replaced after a fold, and when phase, criteria or window change. */
  let context: ShownContext | undefined;

  async function showTools(): Promise<readonly SentTool[]> {
    const projection = projectTools(agent.state(), agent.tools, {
      unlistedTools: "show",
      ...options.projection,
      // Tools that the model uses in the present loop stay.
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
      // The fold has broken the cache anyway: build the context anew.
      context = undefined;
      const second = await fitView(tools, signal);
      return promptOf(second, tools, cost + second.prepared.report.cost);
    },
    checkArguments: (toolName, input) =>
      shown?.check(toolName, input) ?? { isValid: false, errors: ["No tools can be called now."] },
  };
}

/** Builds the context, a second time if a model has shortened texts that had no room. */
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
