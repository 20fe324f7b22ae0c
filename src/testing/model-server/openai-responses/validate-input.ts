import { isJsonObject, itemsOf } from "../json.ts";
import { missing } from "../openai/refusals.ts";
import { type Refusal, refuse } from "../wire-protocol.ts";
import { inputItems } from "./items.ts";
import { type Dialect, itemFaults } from "./validate-item.ts";
import { duplicateFaults, pairFaults } from "./validate-pairs.ts";
import { type ReasoningRules, reasoningFaults } from "./validate-reasoning.ts";

export interface InputRules extends ReasoningRules {
  readonly dialect: Dialect;
}

/** Faults of `input`, in the order in which a server would find them. */
export function* inputFaults(input: unknown, rules: InputRules): Generator<Refusal> {
  yield* presenceFaults(input);
  for (const [index, item] of itemsOf(input).entries()) {
    const place = `input[${index}]`;
    if (isJsonObject(item)) yield* itemFaults(item, { place, dialect: rules.dialect });
    else yield wrongInput(`Invalid type for '${place}': expected an object.`, "invalid_type", place);
  }
  const items = inputItems(input);
  yield* duplicateFaults(items);
  yield* pairFaults(items);
  yield* reasoningFaults(items, rules);
}

function* presenceFaults(input: unknown): Generator<Refusal> {
  if (input === undefined) yield missing("input");
  else if (input === "") yield wrongInput("Invalid 'input': the input is empty.", "empty_string");
  else if (Array.isArray(input)) {
    if (input.length === 0) yield wrongInput("Invalid 'input': the input is empty.", "empty_array");
  } else if (typeof input !== "string") {
    yield wrongInput("Invalid type for 'input': expected a string or an array.", "invalid_type");
  }
}

function wrongInput(message: string, code: string, parameter = "input"): Refusal {
  return refuse(message, { parameter, code });
}
