import { isJsonObject } from "../json.ts";
import { type Refusal, refuse } from "../wire-protocol.ts";
import { countParts, type Turn } from "./content.ts";
import { isForgedCall } from "./render-reply.ts";

/** Calls come after a user's turn or after responses, and the very next turn answers all of them. */
export function* functionFaults(turns: readonly Turn[]): Generator<Refusal> {
  for (const [index, turn] of turns.entries()) {
    const previous = turns[index - 1];
    const next = turns[index + 1];
    if (countParts(turn, "functionCall") > 0) {
      if (previous === undefined || previous.role === "model") {
        yield refuse(
          "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
        );
      }
      if (next === undefined || countParts(next, "functionResponse") !== countParts(turn, "functionCall")) {
        yield refuse(
          "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
        );
      }
    }
    if (
      countParts(turn, "functionResponse") > 0 &&
      (previous === undefined || countParts(previous, "functionCall") === 0)
    ) {
      yield refuse("Please ensure that function response turn comes immediately after a function call turn.");
    }
  }
}

/** Since version 3, the first call of every step of the current turn must bring its signature back. */
export function* signatureFaults(turns: readonly Turn[]): Generator<Refusal> {
  const question = turns.findLastIndex((turn) => turn.role !== "model" && countParts(turn, "functionResponse") === 0);
  for (const [index, turn] of turns.entries()) {
    if (index <= question) continue;
    const first = turn.parts.find((part) => part.functionCall !== undefined);
    if (first === undefined) continue;
    const name = isJsonObject(first.functionCall) ? String(first.functionCall.name) : "";
    if (typeof first.thoughtSignature === "string") {
      if (isForgedCall(name, first.thoughtSignature)) yield refuse("Thought signature is not valid");
      continue;
    }
    yield refuse(
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call \`${name}\`, position ${index + 1}.`,
    );
  }
}
