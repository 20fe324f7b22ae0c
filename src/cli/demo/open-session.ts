import type { CondensationPlugin } from "../../core/ports/condensation.ts";
import type { ModelHandler } from "../../core/ports/model-handler.ts";
import { ledgerCondenser } from "../../engine/condense/ledger-condenser.ts";
import { modelCondenser } from "../../engine/condense/model-condenser.ts";
import type { Configuration } from "../../engine/configuration/configuration.ts";
import { createEngine } from "../../engine/create-engine.ts";
import type { Session } from "../../engine/session/session.ts";

/** How the demo makes views smaller: `summary` and `snapshot` ask a model, `ledger` and `truncation` ask none. */
export const STRATEGIES = ["ledger", "summary", "snapshot", "truncation"] as const;

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
    configuration: strategy === "truncation" ? TRUNCATE_ONLY : CONDENSE_FIRST,
    condenser: condenserFor(strategy, model),
  });
  return engine.session("demo");
}

function condenserFor(strategy: Strategy, model: ModelHandler): CondensationPlugin | undefined {
  switch (strategy) {
    case "ledger":
      return ledgerCondenser();
    case "summary":
    case "snapshot":
      return modelCondenser(model, { strategy });
    case "truncation":
      return undefined;
  }
}

/** Condensing comes first here, so that it can be seen; by default the engine would fold tool results before. */
const CONDENSE_FIRST: Configuration = {
  strategies: { primary: "llm" },
  // One result of the session is larger than the window, and stays where it is the newest: beside it, any summary saves little.
  validation: { rules: { minSavingPercent: 10 } },
};

/** What the others are compared with: the oldest turns go. */
const TRUNCATE_ONLY: Configuration = { strategies: { primary: "truncation" } };
