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
