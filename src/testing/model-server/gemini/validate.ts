import { isJsonObject, itemsOf, type JsonObject, objectsOf, stringOf, unknownKey } from "../json.ts";
import { isKnownModel, type Refusal, refuse, type WireRequest } from "../wire-protocol.ts";
import { hasSignedCalls, isForgedCall } from "./render-reply.ts";

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
  yield* declarationFaults(fields.tools);
  const turns = objectsOf(fields.contents).map(turnOf);
  if (turns.length === 1 && turns[0]?.role === "model") {
    yield refuse("Please ensure that single turn requests end with a user role or the role field is empty.");
  }
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

/** Calls must come after a user's turn or after responses, and the next turn must answer all of them. */
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

/** Since version 3, the first call of every step of the current turn must be sent back with its signature. */
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

/** One turn, with its fields by their camelCase names. */
interface Turn {
  readonly role: unknown;
  readonly fields: JsonObject;
  readonly parts: readonly JsonObject[];
}

function turnOf(content: JsonObject): Turn {
  const fields = camelKeys(content);
  return { role: fields.role, fields, parts: objectsOf(fields.parts).map(camelKeys) };
}

/** The object with camelCase keys: proto JSON accepts `functionCall` and `function_call` alike. */
function camelKeys(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}

function countParts({ parts }: Turn, kind: "functionCall" | "functionResponse"): number {
  return parts.filter((part) => part[kind] !== undefined).length;
}

function unknownName(name: string, place?: string): Refusal {
  const where = place === undefined ? "" : ` at '${place}'`;
  return refuse(`Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`);
}

/** The kinds of parts: a part must have exactly one of these fields. */
const KINDS: readonly string[] =
  "text inlineData fileData functionCall functionResponse executableCode codeExecutionResult toolCall toolResponse".split(
    " ",
  );

const PART_FIELDS: ReadonlySet<string> = new Set([
  ...KINDS,
  ..."thought thoughtSignature videoMetadata partMetadata mediaResolution".split(" "),
]);

function* partFaults({ parts }: Turn, place: string): Generator<Refusal> {
  if (parts.length === 0 || parts.every(isEmptyText)) {
    yield refuse(`* GenerateContentRequest.${place}.parts: contents.parts must not be empty.\n`);
  }
  for (const [index, part] of parts.entries()) {
    const at = `${place}.parts[${index}]`;
    const extra = unknownKey(part, PART_FIELDS);
    if (extra !== undefined) yield unknownName(extra, at);
    if (!KINDS.some((kind) => part[kind] !== undefined)) {
      yield refuse(
        `* GenerateContentRequest.${at}.data: required oneof field 'data' must have one initialized field\n`,
      );
    }
    yield* nameFaults(part.functionCall, `${at}.function_call`);
    yield* nameFaults(part.functionResponse, `${at}.function_response`);
    const response = isJsonObject(part.functionResponse) ? part.functionResponse.response : undefined;
    if (response !== undefined && !isJsonObject(response)) {
      yield refuse(`Invalid value at '${at}.function_response.response' (type.googleapis.com/google.protobuf.Struct)`);
    }
  }
}

/** Whether a part is an empty text without a signature. */
function isEmptyText({ text, thoughtSignature, ...rest }: JsonObject): boolean {
  return text === "" && thoughtSignature === undefined && KINDS.every((kind) => rest[kind] === undefined);
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;

function* nameFaults(value: unknown, place: string): Generator<Refusal> {
  if (!isJsonObject(value)) return;
  const name = stringOf(value.name);
  if (name === "") yield refuse(`* GenerateContentRequest.${place}.name: Name cannot be empty.\n`);
  if (NAME.test(name)) return;
  yield refuse(
    `* GenerateContentRequest.${place}.name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.\n`,
  );
}

function* declarationFaults(tools: unknown): Generator<Refusal> {
  for (const [index, tool] of objectsOf(tools).map(camelKeys).entries()) {
    for (const [place, declared] of objectsOf(tool.functionDeclarations).entries()) {
      yield* nameFaults(declared, `tools[${index}].function_declarations[${place}]`);
    }
  }
}
