import { inspect } from "node:util";
import { PalimpsestError } from "../../src/core/errors.ts";
import { deepFreeze } from "./messages.ts";

/** An input that nobody asked for, and what must come of it: an error that says this, or an answer, or either. */
export type Fault = readonly [input: unknown, expected: RegExp | "answers" | "answers or refuses"];

/** Which inputs meet something else than what is expected, and what. The inputs are frozen: to change one is to break. */
export function unmetFaults(run: (input: unknown) => unknown, faults: readonly Fault[]): readonly string[] {
  return faults.flatMap((fault) =>
    describeUnmet(
      fault,
      outcomeOf(() => run(deepFreeze(fault[0]))),
    ),
  );
}

/** The same for functions that promise their answer. */
export async function unmetPromises(
  run: (input: unknown) => unknown,
  faults: readonly Fault[],
): Promise<readonly string[]> {
  const unmet = await Promise.all(
    faults.map(async (fault) => {
      // An error that is thrown at once is as good as one that is promised.
      const [settled] = await Promise.allSettled([(async () => run(deepFreeze(fault[0])))()]);
      const outcome = outcomeOf(() => {
        if (settled.status === "rejected") throw settled.reason;
        return settled.value;
      });
      return describeUnmet(fault, outcome);
    }),
  );
  return unmet.flat();
}

function describeUnmet([input, expected]: Fault, outcome: Outcome): readonly string[] {
  return isMet(outcome, expected) ? [] : [`${oneLine(input)} ${outcome.type}: ${outcome.text.slice(0, 120)}`];
}

interface Outcome {
  readonly type: "answers" | "is refused" | "breaks";
  readonly text: string;
}

function outcomeOf(run: () => unknown): Outcome {
  try {
    const text = oneLine(run());
    // What is no number goes on to be one that is wrong.
    return { type: /\bNaN\b/.test(text) ? "breaks" : "answers", text };
  } catch (error) {
    return { type: error instanceof PalimpsestError ? "is refused" : "breaks", text: String(error) };
  }
}

function isMet({ type, text }: Outcome, expected: Fault[1]): boolean {
  switch (expected) {
    case "answers":
      return type === "answers";
    case "answers or refuses":
      return type !== "breaks";
    default:
      return type === "is refused" && expected.test(text);
  }
}

function oneLine(value: unknown): string {
  return inspect(value, { depth: 2, compact: true, breakLength: Number.POSITIVE_INFINITY, maxStringLength: 30 });
}

/** What is no message, with the place that the error must name. */
export const MESSAGE_FAULTS: readonly Fault[] = [
  [null, /\[0\] is null/],
  [5, /\[0\] is 5/],
  ["hello", /\[0\] is "hello"/],
  [{}, /\[0\]\.role is undefined/],
  [{ role: "system", content: "x" }, /\[0\]\.role is "system"/],
  [{ role: "user" }, /\[0\]\.content is undefined/],
  [{ role: "user", content: 5 }, /\[0\]\.content is 5/],
  [{ role: "user", content: [null] }, /\[0\]\.content\[0\] is null/],
  [{ role: "user", content: [{ text: "a" }] }, /\[0\]\.content\[0\]\.type is undefined/],
  [{ role: "user", content: [{ type: "text" }] }, /\[0\]\.content\[0\]\.text is undefined/],
  [{ role: "user", content: "x", ts: Number.NaN }, /\[0\]\.ts is NaN/],
  [{ role: "user", content: "x", folds: [null] }, /\[0\]\.folds\[0\] is null/],
];

/** What is no log. */
export const MESSAGES_FAULTS: readonly Fault[] = [
  [null, /messages is null/],
  [undefined, /messages is undefined/],
  [5, /messages is 5/],
  ["hello", /messages is "hello"/],
  [{}, /messages is an object/],
  ...MESSAGE_FAULTS.map(([message, fault]): Fault => [[message], fault]),
];

/** The values with one expectation. */
export function each(inputs: readonly unknown[], expected: Fault[1]): readonly Fault[] {
  return inputs.map((input) => [input, expected]);
}

/** An options object for each value of each field, beside fields that are fine; the error must name the field. */
export function eachField(fields: Readonly<Record<string, readonly unknown[]>>, fine: object = {}): readonly Fault[] {
  return Object.entries(fields).flatMap(([field, values]) =>
    values.map((value): Fault => [{ ...fine, [field]: value }, new RegExp(field)]),
  );
}
