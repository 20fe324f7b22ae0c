import type { Shorten } from "../../core/layers/context/condense-item.ts";
import { ContextBuilder } from "../../core/layers/context/context-builder.ts";
import type { Session } from "../session/session.ts";
import type { SessionModel } from "../session/session-model.ts";
import type { ModernContextEngineOptions } from "./modern-options.ts";
import type { Agent, WindowParts } from "./open-agent.ts";

export const DEFAULT_CONTEXT_SHARE = 0.25;
/** The most that the reply may take of a window that turned out to be smaller than expected. */
const MAX_REPLY_SHARE = 0.25;

export interface AgentWindowPorts {
  readonly session: Session;
  readonly model: SessionModel;
  readonly now: () => number;
  readonly shorten: Shorten | undefined;
}

/** Holds the size of an agent's window, and adapts session, context and reply to it. */
export function createAgentWindow(
  { contextShare = DEFAULT_CONTEXT_SHARE, contextFormat: format, countTokens, similarity }: ModernContextEngineOptions,
  { session, model, now, shorten }: AgentWindowPorts,
): Pick<Agent, "window" | "learnWindow" | "shrinkWindow" | "resetWindow"> {
  const partsOf = (contextWindow: number, maxOutputTokens: number): WindowParts => ({
    ...{ contextWindow, maxOutputTokens },
    builder: new ContextBuilder({
      totalTokens: Math.floor(contextShare * contextWindow),
      modelId: model.id,
      ...{ now, format, countTokens, similarity, shorten },
    }),
  });
  let largest = partsOf(model.contextWindow, model.maxTokens);
  let current = largest;

  function use(parts: WindowParts): void {
    if (parts === current) return;
    current = parts;
    const { contextWindow, maxOutputTokens: maxTokens } = parts;
    session.useModel({ model: model.id, contextWindow, maxTokens });
  }

  function smaller(contextWindow: number): WindowParts {
    const window = Math.max(1, Math.floor(Math.min(contextWindow, current.contextWindow)));
    if (window === current.contextWindow) return current;
    return partsOf(window, Math.min(model.maxTokens, Math.floor(window * MAX_REPLY_SHARE)));
  }

  return {
    window: () => current,
    learnWindow: (contextWindow) => {
      largest = smaller(contextWindow);
      use(largest);
    },
    shrinkWindow: (contextWindow) => use(smaller(contextWindow)),
    resetWindow: () => use(largest),
  };
}
