import { isJsonObject, itemsOf, type JsonObject } from "../json.ts";
import { missing } from "../openai/refusals.ts";
import { type Refusal, refuse } from "../wire-protocol.ts";
import { inputItems, isReasoning, isReply, typeOf } from "./items.ts";
import { type Dialect, itemFaults } from "./validate-item.ts";
import { duplicateFaults, pairFaults } from "./validate-pairs.ts";

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

/** What a server remembers of the items that it sent. */
export interface ReasoningRules {
  /** The id of the reasoning that led to an item, where the server knows. */
  leaderOf(item: JsonObject): string | undefined;
  /** Whether this item of the model may follow this reasoning. */
  mayFollow(reasoning: JsonObject, next: JsonObject): boolean;
}

/** Reasoning stays with the item that it led to. */
function* reasoningFaults(items: readonly JsonObject[], rules: ReasoningRules): Generator<Refusal> {
  for (const [index, item] of items.entries()) {
    const leader = item.id === undefined ? undefined : rules.leaderOf(item);
    if (leader !== undefined && items[index - 1]?.id !== leader) {
      yield refuse(
        `Item '${String(item.id)}' of type '${typeOf(item)}' was provided without its required 'reasoning' item: '${leader}'.`,
        { parameter: "input" },
      );
    }
    if (!isReasoning(item)) continue;
    const next = items[index + 1];
    if (next !== undefined && isReply(next) && rules.mayFollow(item, next)) continue;
    yield refuse(`Item '${String(item.id)}' of type 'reasoning' was provided without its required following item.`, {
      parameter: "input",
    });
  }
}
