import type { ModelHandler } from "../../core/ports/model-handler.ts";
import { modelCondenser } from "../../engine/condense/model-condenser.ts";
import type { Configuration } from "../../engine/configuration/configuration.ts";
import { createEngine } from "../../engine/create-engine.ts";
import type { Session } from "../../engine/session/session.ts";

/** How the demo makes views smaller: `ladder` never asks a model. */
export const STRATEGIES = ["summary", "snapshot", "ladder"] as const;

export type Strategy = (typeof STRATEGIES)[number];

export interface OpenSessionOptions {
  readonly strategy: Strategy;
  readonly contextWindow: number;
  /** The reply's allowance. */
  readonly maxTokens: number;
}

/** A session of a new engine that condenses by the strategy, with `model` where it asks one. */
export function openDemoSession(
  { strategy, contextWindow, maxTokens }: OpenSessionOptions,
  model: ModelHandler,
): Promise<Session> {
  const engine = createEngine({
    model: model.getModel().id,
    contextWindow,
    maxTokens,
    configuration: CONFIGURATIONS[strategy],
    ...(strategy === "ladder" ? {} : { condenser: modelCondenser(model, { strategy }) }),
  });
  return engine.session("demo");
}

/** Condensing comes first here, so that it can be seen; by default the engine would fold tool results before. */
const CONDENSE_FIRST: Configuration = {
  strategies: { primary: "llm" },
  // One result of the session is larger than the window, and stays where it is the newest: beside it, any summary saves little.
  validation: { rules: { minSavingPercent: 10 } },
};

const CONFIGURATIONS: Readonly<Record<Strategy, Configuration>> = {
  summary: CONDENSE_FIRST,
  snapshot: CONDENSE_FIRST,
  ladder: { strategies: { primary: "hybrid" } },
};
