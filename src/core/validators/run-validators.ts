import { describeValue } from "../assert.ts";
import type { Message } from "../message/message.ts";
import type { CondensationValidator, ValidationResult } from "../ports/condensation.ts";

/** What all validators together say. */
export interface Validation {
  readonly isValid: boolean;
  /** Each with the name of its validator in front. */
  readonly issues: readonly string[];
  /** Those of the issues that come from validators which refuse. */
  readonly refusals: readonly string[];
  /** By validator; of two with one name, the lower. */
  readonly scores: Readonly<Record<string, number>>;
  /** Validators that threw or gave no sensible answer: they decide nothing. */
  readonly faults: readonly string[];
}

/** Asks every validator about a condensation: it is valid when none refuses it. Takes what validators take, in that order. */
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
    // Nobody waits for it, and a rejection that nobody handles would end the process.
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
