import { parseJson } from "../../../core/json/parse-json.ts";
import { isJsonObject, itemsOf, type JsonObject, stringOf, unknownKey } from "../json.ts";
import { lengthFaults, missing, toolNameFaults } from "../openai/refusals.ts";
import { type Refusal, refuse } from "../wire-protocol.ts";
import { typeOf } from "./items.ts";

/** Fields of the items that agents send; items of other types are not checked. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  message: ["role", "content", "phase"],
  reasoning: ["summary", "content", "encrypted_content"],
  function_call: ["call_id", "name", "arguments", "namespace", "async", "caller"],
  custom_tool_call: ["call_id", "name", "input", "namespace", "async", "caller"],
  function_call_output: ["call_id", "output", "caller"],
  custom_tool_call_output: ["call_id", "output", "caller", "name"],
};

/** Fields of every item; the last one is Codex's own, and accepted. */
const COMMON_FIELDS = ["type", "id", "status", "internal_chat_message_metadata_passthrough"] as const;

const ROLES: readonly unknown[] = ["user", "assistant", "system", "developer"];
const INPUT_PARTS: readonly unknown[] = ["input_text", "input_image", "input_file", "input_audio", "encrypted_content"];
const OUTPUT_PARTS: readonly unknown[] = ["output_text", "refusal"];

/** OpenAI accepts empty texts, and arguments that are not JSON; not every server of this API does. */
export type Dialect = "openai" | "strictest";

export interface ItemPlace {
  readonly place: string;
  readonly dialect: Dialect;
}

export function* itemFaults(item: JsonObject, { place, dialect }: ItemPlace): Generator<Refusal> {
  const type = typeOf(item);
  if (type === "") yield missing(`${place}.type`);
  const fields = Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined;
  if (fields === undefined) return;
  const extra = unknownKey(item, new Set([...COMMON_FIELDS, ...fields]));
  if (extra !== undefined) yield wrongValue("Unknown parameter", `${place}.${extra}`, "unknown_parameter");
  yield* idFaults(item, place);
  yield* callIdFaults(item, place, fields);
  switch (type) {
    case "message":
      if (!ROLES.includes(item.role)) yield wrongValue("Invalid value", `${place}.role`, "invalid_value");
      yield* partFaults(item.content, {
        place: `${place}.content`,
        allowed: item.role === "assistant" ? OUTPUT_PARTS : INPUT_PARTS,
        mayBeBlank: dialect === "openai",
      });
      return;
    case "reasoning":
      if (!Array.isArray(item.summary)) yield missing(`${place}.summary`);
      for (const [index, part] of itemsOf(item.summary).entries()) {
        const isText = isJsonObject(part) && part.type === "summary_text" && typeof part.text === "string";
        if (!isText) yield wrongValue("Invalid value", `${place}.summary[${index}].type`, "invalid_value");
      }
      return;
    case "function_call":
      if (typeof item.arguments !== "string") yield missing(`${place}.arguments`);
      if (dialect === "strictest") yield* jsonFaults(stringOf(item.arguments), `${place}.arguments`);
      return;
    case "custom_tool_call":
      if (typeof item.input !== "string") yield missing(`${place}.input`);
      return;
    case "function_call_output":
    case "custom_tool_call_output":
      // a tool may print nothing
      yield* partFaults(item.output, { place: `${place}.output`, allowed: INPUT_PARTS, mayBeBlank: true });
  }
}

/** How the ids of items begin, which other servers do not keep to. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  function_call_output: "fc",
  custom_tool_call: "ctc",
};
const MAX_ID_LENGTH = 64;

function* idFaults(item: JsonObject, place: string): Generator<Refusal> {
  const { id } = item;
  if (id === undefined || id === null) return;
  const parameter = `${place}.id`;
  const [named, prefix] = [stringOf(id), ID_PREFIXES[typeOf(item)]];
  if (!/^[a-zA-Z0-9_-]+$/.test(named)) {
    yield refuse(
      `Invalid '${parameter}': '${named}'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.`,
      { parameter, code: "invalid_value" },
    );
  }
  if (prefix !== undefined && !named.startsWith(prefix)) {
    yield refuse(`Invalid '${parameter}': '${named}'. Expected an ID that begins with '${prefix}'.`, {
      parameter,
      code: "invalid_value",
    });
  }
  yield* lengthFaults(named, parameter, MAX_ID_LENGTH);
}

function* callIdFaults(item: JsonObject, place: string, fields: readonly string[]): Generator<Refusal> {
  if (fields.includes("call_id") && stringOf(item.call_id) === "") yield missing(`${place}.call_id`);
  yield* lengthFaults(item.call_id, `${place}.call_id`, MAX_ID_LENGTH);
  if (!typeOf(item).endsWith("_call")) return;
  if (stringOf(item.name) === "") yield missing(`${place}.name`);
  yield* toolNameFaults(item.name, `${place}.name`, 128);
}

function* jsonFaults(text: string, parameter: string): Generator<Refusal> {
  try {
    parseJson(text);
  } catch {
    yield refuse(`Invalid '${parameter}': the string is no JSON.`, { parameter, code: "invalid_value" });
  }
}

interface PartRules {
  readonly place: string;
  readonly allowed: readonly unknown[];
  readonly mayBeBlank: boolean;
}

function* partFaults(content: unknown, { place, allowed, mayBeBlank }: PartRules): Generator<Refusal> {
  if (content === undefined || content === null) yield missing(place);
  const isBlank = content === "" || (Array.isArray(content) && content.length === 0);
  if (isBlank && !mayBeBlank) yield emptyText(place);
  for (const [index, part] of itemsOf(content).entries()) {
    const at = `${place}[${index}]`;
    if (!isJsonObject(part) || !allowed.includes(part.type)) {
      yield wrongValue("Invalid value", `${at}.type`, "invalid_value");
    } else if (part.type === "input_text" || part.type === "output_text") {
      if (typeof part.text !== "string") yield missing(`${at}.text`);
      if (part.text === "" && !mayBeBlank) yield emptyText(`${at}.text`);
    } else if (part.type === "input_image" && !part.image_url && !part.file_id) {
      yield missing(`${at}.image_url`);
    }
  }
}

function emptyText(parameter: string): Refusal {
  return refuse(`Invalid value: '${parameter}' is empty.`, { parameter, code: "empty_string" });
}

function wrongValue(what: string, parameter: string, code: string): Refusal {
  return refuse(`${what}: '${parameter}'.`, { parameter, code });
}
