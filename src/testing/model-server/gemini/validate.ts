import { isJsonObject, itemsOf, type JsonObject, objectsOf, unknownKey } from "../json.ts";
import { isKnownModel, type Refusal, refuse, type WireRequest } from "../wire-protocol.ts";
import { camelKeys, countParts, type Turn, turnOf } from "./content.ts";
import { unknownName } from "./refusals.ts";
import { hasSignedCalls, isForgedCall } from "./render-reply.ts";
import { partFaults } from "./validate-parts.ts";

const FIELDS: ReadonlySet<string> = new Set(
  "contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent labels model generateContentRequest serviceTier store".split(
    " ",
  ),
);

export function* findFaults(request: WireRequest): Generator<Refusal> {
  const { operation, modelId, promptTokens, contextWindow } = request;
  if (!isKnownModel(request, /^(?:gemini|gemma)-/)) {
    yield refuse(`models/${modelId} is not found for API version v1beta, or is not supported for ${operation}.`, {
      status: 404,
    });
  }
  const fields = camelKeys(request.body);
  const extra = unknownKey(fields, FIELDS);
  if (extra !== undefined) yield unknownName(extra);
  yield* contentsFaults(contentsOf(fields));
  // a count may be of any part of a conversation
  if (operation === "count-tokens") return;
  const turns = objectsOf(fields.contents).map(turnOf);
  yield* functionFaults(turns);
  if (hasSignedCalls(modelId)) yield* signatureFaults(turns);
  if (promptTokens > contextWindow) {
    yield refuse(
      `The input token count (${promptTokens}) exceeds the maximum number of tokens allowed (${contextWindow}).`,
    );
  }
}

function contentsOf({ contents, generateContentRequest }: JsonObject): unknown {
  return isJsonObject(generateContentRequest) ? generateContentRequest.contents : contents;
}

function* contentsFaults(contents: unknown): Generator<Refusal> {
  if (itemsOf(contents).length === 0) {
    yield refuse("* GenerateContentRequest.contents: contents is not specified\n");
  }
  for (const [index, content] of itemsOf(contents).entries()) {
    if (!isJsonObject(content)) {
      yield refuse(
        `Invalid value at 'contents[${index}]' (type.googleapis.com/google.ai.generativelanguage.v1beta.Content)`,
      );
      continue;
    }
    const turn = turnOf(content);
    const extra = unknownKey(turn.fields, new Set(["role", "parts"]));
    if (extra !== undefined) yield unknownName(extra, `contents[${index}]`);
    if (turn.role !== undefined && turn.role !== "user" && turn.role !== "model") {
      yield refuse("Please use a valid role: user, model.");
    }
    yield* partFaults(turn, `contents[${index}]`);
  }
}

/** Calls come after a user's turn or after responses, and the very next turn answers all of them. */
function* functionFaults(turns: readonly Turn[]): Generator<Refusal> {
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
function* signatureFaults(turns: readonly Turn[]): Generator<Refusal> {
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
