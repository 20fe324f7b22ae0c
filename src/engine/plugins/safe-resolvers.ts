import { demand, demandFunction } from "../../core/demand.ts";
import { MAX_CONDENSE_THRESHOLD, MIN_CONDENSE_THRESHOLD } from "../../core/policy/condense-threshold.ts";
import type { Resolvers } from "../../core/ports/hooks.ts";
import { resolveFitOptions, type TruncationSelection } from "../../core/truncate/fit-options.ts";
import { attempt, demandAtOnce } from "./attempt.ts";
import { demandOptionalMethods } from "./demand-members.ts";
import type { OnFault } from "./fault.ts";

const METHODS: readonly (keyof Resolvers)[] = ["threshold", "prompt", "truncationSelection"];

/**
 * The same resolvers, safe to call: one that is absent, throws or answers what cannot be used gives undefined, and
 * `onFault` hears of it.
 */
export function safeResolvers(resolvers: Resolvers, onFault: OnFault): Required<Resolvers> {
  demandOptionalMethods("resolvers", resolvers, METHODS);
  demandFunction("onFault", onFault);

  function ask<Answer>(
    method: keyof Resolvers,
    run: () => Answer | undefined,
    check: (answer: Answer) => void,
  ): Answer | undefined {
    function checked(): Answer | undefined {
      const answer = run();
      demandAtOnce(answer);
      if (answer !== undefined) check(answer);
      return answer;
    }
    return attempt(checked, { plugin: "resolvers", method, onFault });
  }

  return {
    threshold: (context) => ask("threshold", () => resolvers.threshold?.(context), demandThreshold),
    prompt: (context, strategy) => ask("prompt", () => resolvers.prompt?.(context, strategy), demandPrompt),
    truncationSelection: (context) =>
      ask("truncationSelection", () => resolvers.truncationSelection?.(context), demandSelection),
  };
}

function demandThreshold(threshold: number): void {
  const isAllowed =
    typeof threshold === "number" && threshold >= MIN_CONDENSE_THRESHOLD && threshold <= MAX_CONDENSE_THRESHOLD;
  demand(
    isAllowed,
    "its answer",
    threshold,
    `a number from ${MIN_CONDENSE_THRESHOLD} to ${MAX_CONDENSE_THRESHOLD}, or undefined`,
  );
}

function demandPrompt(prompt: string): void {
  const isAllowed = typeof prompt === "string" && prompt.trim() !== "";
  demand(isAllowed, "its answer", prompt, "a string that is not blank, or undefined");
}

/** By the very rules that truncation applies later. */
function demandSelection(selection: TruncationSelection): void {
  resolveFitOptions({ allowedTokens: 0, selection });
}
