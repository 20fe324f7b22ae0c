import { verifyFold } from "../../core/history/verify-fold.ts";
import { getEffectiveApiHistory, summaryId } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type {
  CondensationOptions,
  CondensationPlugin,
  CondensationResult,
  CondensationValidator,
} from "../../core/ports/condensation.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { runValidators } from "../../core/validators/run-validators.ts";
import { refuseCondensation } from "./condensation-run.ts";
import { onlyHides } from "./only-hides.ts";
import type { CondensationPorts } from "./run-condensation.ts";

/** What a condensation is held against. */
export interface Gates {
  /** The log before it. */
  readonly messages: readonly Message[];
  readonly options: CondensationOptions;
  readonly plugin: CondensationPlugin;
  readonly ports: CondensationPorts;
}

export type CheckedCondensation =
  | {
      readonly type: "accepted";
      readonly result: CondensationResult;
      readonly condenseId: string;
      readonly newContextTokens: number;
      readonly messagesHidden: number;
      /** By validator. */
      readonly scores: Readonly<Record<string, number>>;
    }
  | { readonly type: "refused"; readonly result: CondensationResult; readonly error: string };

/** Holds a condensation against every gate. */
export function checkCondensation(result: CondensationResult, gates: Gates): CheckedCondensation {
  const { messages, options, plugin, ports } = gates;
  if (result.error !== undefined) return { type: "refused", result, error: result.error };
  const { condenseId } = result;
  const hasSummary = result.messages.some((message) => condenseId !== undefined && summaryId(message) === condenseId);
  if (condenseId === undefined || !hasSummary) return refuse(result, gates, "It returned no summary and no error.");
  const fault = onlyHides(messages, result.messages, condenseId) ?? verifyFold(messages, result.messages);
  if (fault !== undefined) return refuse(result, gates, fault);
  const before = Object.freeze(getEffectiveApiHistory(messages));
  const after = Object.freeze(getEffectiveApiHistory(result.messages));
  const [tokensBefore, tokensAfter] = [before, after].map((view) => countMessagesTokens(view, options.countTokens));
  if (tokensBefore === undefined || tokensAfter === undefined || tokensAfter >= tokensBefore) {
    return refuse(
      result,
      gates,
      `The context grew: ${tokensAfter} tokens with the summary, ${tokensBefore} without it.`,
    );
  }
  const validators = ports.configuration.validation.enabled
    ? [...ownValidators(plugin, result), ...ports.validators.filter((validator) => isJudgeOf(validator, plugin))]
    : [];
  const { isValid, refusals, scores, faults } = runValidators(validators, before, after, result.summary);
  for (const error of faults) ports.monitor.fault({ plugin: plugin.name, error });
  if (!isValid) return refuse(result, gates, `It was refused: ${refusals.join(" ")}`);

  const { overheadTokens, prevContextTokens } = options;
  const ratio = Math.max(0, prevContextTokens - overheadTokens) / tokensBefore;
  const newContextTokens = Math.ceil(overheadTokens + ratio * tokensAfter);
  const shown = new Set(after);
  return {
    type: "accepted",
    result: { ...result, newContextTokens },
    condenseId,
    newContextTokens,
    messagesHidden: before.filter((message) => !shown.has(message)).length,
    scores: ports.configuration.validation.metrics ? scores : {},
  };
}

/** The log stays as it was; what the attempt cost is kept. */
export function refuse(
  { cost, modelCalls }: CondensationResult,
  { messages }: Gates,
  error: string,
): CheckedCondensation {
  const result = refuseCondensation(messages, {
    error,
    costUsd: cost,
    ...(modelCalls === undefined ? {} : { modelCalls }),
  });
  return { type: "refused", result, error };
}

function isJudgeOf({ judges = "every" }: CondensationValidator, { usesModel = true }: CondensationPlugin): boolean {
  return judges === "every" || usesModel;
}

/** A plugin's own gate, as one validator among the others. */
function ownValidators(plugin: CondensationPlugin, result: CondensationResult): readonly CondensationValidator[] {
  const { validate } = plugin;
  if (validate === undefined) return [];
  return [{ name: plugin.name, validate: () => validate.call(plugin, result) }];
}
