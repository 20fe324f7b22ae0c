import { assert, assertFunction } from "../../core/assert.ts";
import { MAX_CONDENSE_THRESHOLD, MIN_CONDENSE_THRESHOLD } from "../../core/policy/condense-threshold.ts";
import type { Resolvers } from "../../core/ports/hooks.ts";
import { resolveFitOptions, type TruncationSelection } from "../../core/truncate/fit-options.ts";
import { assertOptionalMethods } from "./assert-members.ts";
import { assertAtOnce, attempt } from "./attempt.ts";
import type { OnFault } from "./fault.ts";

const METHODS: readonly (keyof Resolvers)[] = ["threshold", "prompt", "truncationSelection"];

/** Wraps resolvers so that they never throw. One that is absent returns undefined; so does one that throws or returns an invalid answer, which is reported to `onFault`. */
export function safeResolvers(resolvers: Resolvers, onFault: OnFault): Required<Resolvers> {
  assertOptionalMethods("resolvers", resolvers, METHODS);
  assertFunction("onFault", onFault);

  function ask<Answer>(
    method: keyof Resolvers,
    run: () => Answer | undefined,
    check: (answer: Answer) => void,
  ): Answer | undefined {
    function checked(): Answer | undefined {
      const answer = run();
      assertAtOnce(answer);
      if (answer !== undefined) check(answer);
      return answer;
    }
    return attempt(checked, { plugin: "resolvers", method, onFault });
  }

  return {
    threshold: (context) => ask("threshold", () => resolvers.threshold?.(context), assertThreshold),
    prompt: (context, strategy) => ask("prompt", () => resolvers.prompt?.(context, strategy), assertPrompt),
    truncationSelection: (context) =>
      ask("truncationSelection", () => resolvers.truncationSelection?.(context), assertSelection),
  };
}

function assertThreshold(threshold: number): void {
  const isAllowed =
    typeof threshold === "number" && threshold >= MIN_CONDENSE_THRESHOLD && threshold <= MAX_CONDENSE_THRESHOLD;
  assert(
    isAllowed,
    "its answer",
    threshold,
    `a number from ${MIN_CONDENSE_THRESHOLD} to ${MAX_CONDENSE_THRESHOLD}, or undefined`,
  );
}

function assertPrompt(prompt: string): void {
  const isAllowed = typeof prompt === "string" && prompt.trim() !== "";
  assert(isAllowed, "its answer", prompt, "a string that is not blank, or undefined");
}

/** Checks a selection by the same rules as truncation does later. */
function assertSelection(selection: TruncationSelection): void {
  resolveFitOptions({ allowedTokens: 0, selection });
}
