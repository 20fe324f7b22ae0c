import { isJsonObject, itemsOf, type JsonObject, stringOf } from "../json.ts";
import { missing } from "../openai/refusals.ts";
import { type Refusal, refuse } from "../wire-protocol.ts";
import { inputItems, isReasoning, isReply, typeOf } from "./items.ts";
import { type Dialect, itemFaults } from "./validate-item.ts";

export interface InputRules extends ReasoningRules {
  readonly dialect: Dialect;
}

/** Faults of `input`, in the order in which a server would find them. */
export function* inputFaults(input: unknown, rules: InputRules): Generator<Refusal> {
  yield* presenceFaults(input);
  for (const [index, item] of itemsOf(input).entries()) {
    const place = `input[${index}]`;
    if (isJsonObject(item)) yield* itemFaults(item, { place, dialect: rules.dialect });
    else yield refuseInput(`Invalid type for '${place}': expected an object.`, "invalid_type", place);
  }
  const items = inputItems(input);
  yield* duplicateFaults(items);
  yield* pairFaults(items);
  yield* reasoningFaults(items, rules);
}

function* presenceFaults(input: unknown): Generator<Refusal> {
  if (input === undefined) yield missing("input");
  else if (input === "") yield refuseInput("Invalid 'input': the input is empty.", "empty_string");
  else if (Array.isArray(input)) {
    if (input.length === 0) yield refuseInput("Invalid 'input': the input is empty.", "empty_array");
  } else if (typeof input !== "string") {
    yield refuseInput("Invalid type for 'input': expected a string or an array.", "invalid_type");
  }
}

function refuseInput(message: string, code: string, parameter = "input"): Refusal {
  return refuse(message, { parameter, code });
}

/** What a server knows about the items that it sent. */
export interface ReasoningRules {
  /** The id of the reasoning that led to an item; undefined where the server does not know it. */
  leaderOf(item: JsonObject): string | undefined;
  /** Whether this item of the model may follow this reasoning. */
  mayFollow(reasoning: JsonObject, next: JsonObject): boolean;
}

/** Reasoning and the item that it led to must stay together. */
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

/** The calls that the client answers, with their names in error messages. */
const CALL_NAMES: Readonly<Record<string, string>> = {
  function_call: "function call",
  custom_tool_call: "custom tool call",
  local_shell_call: "local shell call",
  shell_call: "shell call",
  apply_patch_call: "apply patch call",
  computer_call: "computer call",
};

function callNameOf(type: string): string | undefined {
  return Object.hasOwn(CALL_NAMES, type) ? CALL_NAMES[type] : undefined;
}

const wrongInput = (message: string) => refuse(message, { parameter: "input" });

/** The ids of items and of calls must be unique. */
function* duplicateFaults(items: readonly JsonObject[]): Generator<Refusal> {
  const seenIds = new Set<string>();
  const seenCalls = new Set<string>();
  for (const item of items) {
    const id = stringOf(item.id);
    if (seenIds.has(id)) {
      yield wrongInput(`Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`);
    }
    if (id !== "") seenIds.add(id);
    if (callNameOf(typeOf(item)) === undefined) continue;
    const callId = stringOf(item.call_id);
    if (seenCalls.has(callId)) yield wrongInput(`Duplicate call_id '${callId}' found in your input.`);
    if (callId !== "") seenCalls.add(callId);
  }
}

/** Calls and outputs are paired by id: an output must come after its call, and every call but the newest ones must have an output. */
function* pairFaults(items: readonly JsonObject[]): Generator<Refusal> {
  const called = new Map<string, string>();
  const open = new Set<string>();
  for (const item of items) {
    const type = typeOf(item);
    const callId = stringOf(item.call_id);
    if (callNameOf(type) !== undefined && callId !== "") {
      called.set(callId, type);
      open.add(callId);
    }
    const answered = type.endsWith("_output") ? type.slice(0, -"_output".length) : "";
    if (callNameOf(answered) === undefined) continue;
    yield* outputFaults({ callId, answered, called: called.get(callId), isOpen: open.has(callId) });
    open.delete(callId);
  }
  const newest = items.findLastIndex((item) => callNameOf(typeOf(item)) === undefined && !isReasoning(item));
  for (const { call_id: callId } of items.slice(newest + 1)) open.delete(stringOf(callId));
  for (const callId of open) {
    yield wrongInput(`No tool output found for ${callNameOf(called.get(callId) ?? "")} ${callId}.`);
  }
}

interface Output {
  readonly callId: string;
  /** The type of call that the output is for. */
  readonly answered: string;
  /** The type of the call with its id. */
  readonly called: string | undefined;
  readonly isOpen: boolean;
}

/** An output must answer an open call of its type. A custom tool may answer more than once: Codex sends the output of a script while it runs. */
function* outputFaults({ callId, answered, called, isOpen }: Output): Generator<Refusal> {
  const isAllowed = called === answered && (isOpen || answered === "custom_tool_call");
  if (isAllowed) return;
  const reason = called === undefined || called === answered ? "." : `: ${answered}_output answers a ${called}.`;
  yield wrongInput(`No tool call found for ${callNameOf(answered)} output with call_id ${callId}${reason}`);
}
