import { type Refusal, refuse } from "../wire-protocol.ts";

export function missing(parameter: string): Refusal {
  return refuse(`Missing required parameter: '${parameter}'.`, { parameter, code: "missing_required_parameter" });
}

export function emptyArray(parameter: string): Refusal {
  return refuse(
    `Invalid '${parameter}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    { parameter, code: "empty_array" },
  );
}

const NAME = /^[a-zA-Z0-9_-]+$/;

/** Faults in the name of a tool, where it is declared and where it is called. */
export function* toolNameFaults(name: unknown, parameter: string, maxLength: number): Generator<Refusal> {
  if (typeof name !== "string" || name === "") return;
  if (!NAME.test(name)) {
    yield refuse(
      `Invalid '${parameter}': string does not match pattern. Expected a string that matches the pattern '${NAME.source}'.`,
      { parameter, code: "invalid_value" },
    );
  }
  yield* lengthFaults(name, parameter, maxLength);
}

export function* lengthFaults(text: unknown, parameter: string, maxLength: number): Generator<Refusal> {
  if (typeof text !== "string" || text.length <= maxLength) return;
  yield refuse(
    `Invalid '${parameter}': string too long. Expected a string with maximum length ${maxLength}, but got a string with length ${text.length} instead.`,
    { parameter, code: "string_above_max_length" },
  );
}
