import { isJsonObject, type JsonObject, stringOf, unknownKey } from "../json.ts";
import { type Refusal, refuse } from "../wire-protocol.ts";
import type { Turn } from "./content.ts";
import { unknownName } from "./refusals.ts";

/** What a part can be: it must be one of these. */
const KINDS: readonly string[] =
  "text inlineData fileData functionCall functionResponse executableCode codeExecutionResult toolCall toolResponse".split(
    " ",
  );

const FIELDS: ReadonlySet<string> = new Set([
  ...KINDS,
  ..."thought thoughtSignature videoMetadata partMetadata mediaResolution".split(" "),
]);

export function* partFaults({ parts }: Turn, place: string): Generator<Refusal> {
  if (parts.length === 0 || parts.every(isEmptyText)) {
    yield refuse(`* GenerateContentRequest.${place}.parts: contents.parts must not be empty.\n`);
  }
  for (const [index, part] of parts.entries()) {
    const at = `${place}.parts[${index}]`;
    const extra = unknownKey(part, FIELDS);
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

/** A text without characters is nothing, unless it carries a signature. */
function isEmptyText({ text, thoughtSignature, ...rest }: JsonObject): boolean {
  return text === "" && thoughtSignature === undefined && KINDS.every((kind) => rest[kind] === undefined);
}

function* nameFaults(value: unknown, place: string): Generator<Refusal> {
  if (isJsonObject(value) && stringOf(value.name) === "") {
    yield refuse(`* GenerateContentRequest.${place}.name: Name cannot be empty.\n`);
  }
}
