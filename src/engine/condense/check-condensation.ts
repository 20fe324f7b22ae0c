import { verifyFold } from "../../core/history/verify-fold.ts";
import { collectStandIns, effectiveView } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type {
  CondensationOptions,
  CondensationPlugin,
  CondensationResult,
  CondensationValidator,
} from "../../core/ports/condensation.ts";
import type { Pause } from "../../core/ports/pacer.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { runValidators } from "../../core/validators/run-validators.ts";
import { refuseCondensation } from "./condensation-run.ts";
import { onlyHides } from "./only-hides.ts";
import type { CondensationPorts } from "./run-condensation.ts";

/** What a condensation is checked against: the log, the options, and the condenser that made it. */
export interface CondensationAttempt {
  /** The log before the condensation. */
  readonly messages: readonly Message[];
  readonly options: CondensationOptions;
  readonly condenser: CondensationPlugin;
  readonly ports: CondensationPorts;
}

export type CheckedCondensation =
  | {
      readonly type: "accepted";
      readonly result: CondensationResult;
      readonly condenseId: string;
      readonly newContextTokens: number;
      readonly messagesHidden: number;
      /** The validators' scores, by name. */
      readonly scores: Readonly<Record<string, number>>;
    }
  | { readonly type: "refused"; readonly result: CondensationResult; readonly error: string };

/** Checks that a condensation only hides messages, leaves the view as valid as before and makes it smaller; then runs the validators. */
export async function checkCondensation(
  result: CondensationResult,
  attempt: CondensationAttempt,
  pause: Pause,
): Promise<CheckedCondensation> {
  const { messages, options, condenser, ports } = attempt;
  if (result.error !== undefined) return { type: "refused", result, error: result.error };
  const { condenseId } = result;
  const hasSummary = condenseId !== undefined && collectStandIns(result.messages).condenseIds.has(condenseId);
  if (condenseId === undefined || !hasSummary) return refuse(result, attempt, "It returned no summary and no error.");
  const shownFault = onlyHides(messages, result.messages, condenseId);
  await pause();
  const fault = shownFault ?? verifyFold(messages, result.messages);
  if (fault !== undefined) return refuse(result, attempt, fault);
  await pause();
  const before = Object.freeze(effectiveView(messages));
  const after = Object.freeze(effectiveView(result.messages));
  const [tokensBefore, tokensAfter] = [before, after].map((view) => countMessagesTokens(view, options.countTokens));
  if (tokensBefore === undefined || tokensAfter === undefined || tokensAfter >= tokensBefore) {
    return refuse(
      result,
      attempt,
      `The context grew: ${tokensAfter} tokens with the summary, ${tokensBefore} without it.`,
    );
  }
  await pause();
  const validators = await validatorsFor(result, attempt);
  const { isValid, refusals, scores, faults } = runValidators(validators, before, after, result.summary);
  for (const error of faults) ports.monitor.fault({ plugin: condenser.name, error });
  if (!isValid) return refuse(result, attempt, `It was refused: ${refusals.join(" ")}`);

  const newContextTokens = promptAfter(options, tokensBefore, tokensAfter);
  const visible = new Set(after);
  return {
    type: "accepted",
    result: { ...result, newContextTokens },
    condenseId,
    newContextTokens,
    messagesHidden: before.filter((message) => !visible.has(message)).length,
    scores: ports.configuration.validation.metrics ? scores : {},
  };
}

/** The size of the whole prompt with a view of `tokensAfter` in place of one of `tokensBefore`, by our count of both. */
function promptAfter(
  { overheadTokens, prevContextTokens }: CondensationOptions,
  tokensBefore: number,
  tokensAfter: number,
): number {
  const ratio = Math.max(0, prevContextTokens - overheadTokens) / tokensBefore;
  return Math.ceil(overheadTokens + ratio * tokensAfter);
}

/** The validators that judge a condensation; none where validation is switched off. */
async function validatorsFor(
  result: CondensationResult,
  { condenser, ports }: CondensationAttempt,
): Promise<readonly CondensationValidator[]> {
  if (!ports.configuration.validation.enabled) return [];
  const registered = await ports.validators();
  const judges = registered.filter((validator) => isJudgeOf(validator, condenser));
  return [...ownValidators(condenser, result), ...judges];
}

/** A refusal with this error. The log stays as it was, and the result keeps the attempt's cost. */
export function refuse(
  { cost, modelCalls }: CondensationResult,
  { messages }: CondensationAttempt,
  error: string,
): CheckedCondensation {
  const result = refuseCondensation(messages, {
    error,
    costUsd: cost,
    ...(modelCalls === undefined ? {} : { modelCalls }),
  });
  return { type: "refused", result, error };
}

function isJudgeOf(
  { judges = "every" }: CondensationValidator,
  { usesModel = true, isOpaque = false }: CondensationPlugin,
): boolean {
  return judges === "every" || (usesModel && !isOpaque);
}

/** A condenser's own `validate`, as one validator among the others. */
function ownValidators(condenser: CondensationPlugin, result: CondensationResult): readonly CondensationValidator[] {
  const { validate } = condenser;
  if (validate === undefined) return [];
  return [{ name: condenser.name, validate: () => validate.call(condenser, result) }];
}
