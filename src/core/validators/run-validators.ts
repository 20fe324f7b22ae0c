import { describeValue } from "../assert.ts";
import type { Message } from "../message/message.ts";
import type { CondensationValidator, ValidationResult } from "../ports/condensation.ts";

/** The combined result of all validators. */
export interface Validation {
  readonly isValid: boolean;
  /** Each begins with the name of its validator. */
  readonly issues: readonly string[];
  /** The issues of the validators that refuse. */
  readonly refusals: readonly string[];
  /** The score by the validator's name; of two validators with the same name, the lower one. */
  readonly scores: Readonly<Record<string, number>>;
  /** A sentence for each validator that threw or returned no valid result: such a validator decides nothing. */
  readonly faults: readonly string[];
}

/** Runs every validator on a condensation, which is valid if none refuses it. */
export function runValidators(
  validators: readonly CondensationValidator[],
  original: readonly Message[],
  condensed: readonly Message[],
  summary: string,
): Validation {
  const issues: string[] = [];
  const refusals: string[] = [];
  const faults: string[] = [];
  const scores = new Map<string, number>();
  let isValid = true;
  for (const [index, validator] of validators.entries()) {
    const name = nameOf(validator, index);
    const answer = ask(() => validator.validate(original, condensed, summary));
    if (answer.type === "fault") {
      faults.push(`${name} ${answer.reason}`);
      continue;
    }
    const { result } = answer;
    isValid &&= result.isValid;
    scores.set(name, Math.min(result.score, scores.get(name) ?? 1));
    const named = result.issues.map((issue) => `${name}: ${issue}`);
    issues.push(...named);
    if (!result.isValid) refusals.push(...(named.length === 0 ? [`${name} gives no reason.`] : named));
  }
  return { isValid, issues, refusals, scores: Object.fromEntries(scores), faults };
}

type Answer =
  | { readonly type: "result"; readonly result: ValidationResult }
  | { readonly type: "fault"; readonly reason: string };

function ask(validate: () => unknown): Answer {
  try {
    const value = validate();
    // The promise is not awaited, and an unhandled rejection would end the process.
    if (value instanceof Promise) value.catch(() => undefined);
    return isResult(value) ? { type: "result", result: value } : { type: "fault", reason: describeNonsense(value) };
  } catch (error) {
    return {
      type: "fault",
      reason: `threw ${error instanceof Error ? JSON.stringify(error.message) : describeValue(error)}.`,
    };
  }
}

function isResult(value: unknown): value is ValidationResult {
  if (!isRecord(value)) return false;
  const { isValid, issues, score } = value;
  const isScore = typeof score === "number" && score >= 0 && score <= 1;
  return (
    typeof isValid === "boolean" &&
    isScore &&
    Array.isArray(issues) &&
    issues.every((issue) => typeof issue === "string")
  );
}

function describeNonsense(value: unknown): string {
  if (value instanceof Promise) return "returned a promise; it must answer at once.";
  if (!isRecord(value)) return `returned ${describeValue(value)}; it must return { isValid, issues, score }.`;
  const fields = ["isValid", "issues", "score"].map((field) => `${field} ${describeValue(value[field])}`);
  return `returned ${fields.join(", ")}; isValid must be a boolean, issues strings, score from 0 to 1.`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function nameOf(validator: CondensationValidator, index: number): string {
  const unnamed = `validator ${index + 1}`;
  try {
    return typeof validator.name === "string" && validator.name !== "" ? validator.name : unnamed;
  } catch {
    return unnamed;
  }
}
