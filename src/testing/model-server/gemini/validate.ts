import { isJsonObject, itemsOf, type JsonObject, objectsOf, unknownKey } from "../json.ts";
import { isKnownModel, type Refusal, refuse, type WireRequest } from "../wire-protocol.ts";
import { camelKeys, turnOf } from "./content.ts";
import { unknownName } from "./refusals.ts";
import { hasSignedCalls } from "./render-reply.ts";
import { partFaults } from "./validate-parts.ts";
import { functionFaults, signatureFaults } from "./validate-turns.ts";

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
