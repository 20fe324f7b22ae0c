/** The rules that servers of OpenAI's Responses API have for `input`, the strictest of each. */
import { asArray, asRecord, asText, type JsonRecord, parseJson } from "../../src/core/transcript/read-json.ts";

/** Why a server would refuse this body; none means that it is accepted. `stored` are items that the server has kept. */
export function checkResponsesInput(body: string, stored: readonly unknown[] = []): readonly string[] {
  const request = asRecord(parseJson(body));
  if (request === undefined) return ["The body is no JSON object."];
  if (typeof request.input === "string") return request.input === "" ? ["input is empty."] : [];
  const items = asArray(request.input).map((item) => asRecord(item) ?? {});
  if (items.length === 0) return ["input is empty."];
  return [
    ...items.flatMap(checkItem),
    ...checkPairs(items),
    ...checkReasoning(
      items,
      stored.map((item) => asRecord(item) ?? {}),
    ),
  ];
}

/** Unknown fields are refused where they stand on an item that the server knows. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  message: ["type", "role", "content", "id", "status", "phase"],
  reasoning: ["type", "id", "summary", "content", "encrypted_content", "status"],
  function_call: ["type", "id", "call_id", "name", "arguments", "status", "namespace"],
  custom_tool_call: ["type", "id", "call_id", "name", "input", "status", "namespace"],
  function_call_output: ["type", "id", "call_id", "output", "status"],
  custom_tool_call_output: ["type", "id", "call_id", "output", "status"],
};

const INPUT_PARTS: ReadonlySet<unknown> = new Set(["input_text", "input_image", "input_file"]);
const OUTPUT_PARTS: ReadonlySet<unknown> = new Set(["output_text", "refusal"]);
const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "system", "developer"]);

function typeOf(item: JsonRecord | undefined): string {
  return asText(item?.type) ?? (item?.role === undefined ? "" : "message");
}

function checkItem(item: JsonRecord, index: number): readonly string[] {
  const type = typeOf(item);
  const where = `input[${index}]`;
  const unknown = Object.keys(item).filter((field) => FIELDS[type]?.includes(field) === false);
  const problems = unknown.map((field) => `Unknown parameter: '${where}.${field}'.`);
  if (type === "message") {
    if (!ROLES.has(item.role)) problems.push(`Invalid value: '${where}.role'.`);
    const allowed = item.role === "assistant" ? OUTPUT_PARTS : INPUT_PARTS;
    problems.push(...checkParts(item.content, `${where}.content`, { allowed, mayBeBlank: false }));
  }
  if (type === "reasoning" && !Array.isArray(item.summary)) problems.push(`Missing '${where}.summary'.`);
  if (type === "function_call" && parseJson(asText(item.arguments) ?? "") === undefined) {
    problems.push(`'${where}.arguments' is no JSON in a string.`);
  }
  if (type === "custom_tool_call" && typeof item.input !== "string") problems.push(`'${where}.input' is no string.`);
  if (type === "function_call_output" || type === "custom_tool_call_output") {
    problems.push(...checkParts(item.output, `${where}.output`, { allowed: INPUT_PARTS, mayBeBlank: true }));
  }
  return problems;
}

interface PartRules {
  readonly allowed: ReadonlySet<unknown>;
  /** A tool may print nothing. */
  readonly mayBeBlank: boolean;
}

function checkParts(content: unknown, where: string, { allowed, mayBeBlank }: PartRules): readonly string[] {
  if (typeof content === "string") return content === "" && !mayBeBlank ? [`'${where}' is empty.`] : [];
  const parts = asArray(content).map((part) => asRecord(part) ?? {});
  if (parts.length === 0) return [`'${where}' is empty.`];
  return parts.flatMap(({ type, text, image_url, file_id }, index) => {
    if (!allowed.has(type)) return [`Invalid value: '${where}[${index}].type' is '${type}'.`];
    if ((type === "input_text" || type === "output_text") && (asText(text) ?? "") === "") {
      return [`'${where}[${index}].text' is empty.`];
    }
    const isImage = typeof image_url === "string" || typeof file_id === "string";
    return type === "input_image" && !isImage ? [`'${where}[${index}]' has no image.`] : [];
  });
}

/** OpenAI pairs by id alone; DeepSeek refuses all but reasoning and other calls between a call and its output. */
function checkPairs(items: readonly JsonRecord[]): readonly string[] {
  const problems: string[] = [];
  const open = new Map<string, JsonRecord>();
  const seen = new Set<string>();
  for (const item of items) {
    const type = typeOf(item);
    const callId = asText(item.call_id);
    if (callId !== undefined && type.endsWith("_call")) {
      if (seen.has(callId)) problems.push(`Duplicate call_id '${callId}'.`);
      seen.add(callId);
      open.set(callId, item);
    } else if (callId !== undefined && type.endsWith("_output")) {
      const call = open.get(callId);
      if (call === undefined) problems.push(`No tool call found for output with call_id ${callId}.`);
      else if (type !== `${typeOf(call)}_output`) problems.push(`${type} answers a ${typeOf(call)}.`);
      open.delete(callId);
    } else if (type !== "reasoning") {
      for (const id of open.keys()) problems.push(`No tool output found for tool call ${id}: a ${type} comes first.`);
      open.clear();
    }
  }
  for (const id of open.keys()) problems.push(`No tool output found for tool call ${id}.`);
  return problems;
}

const isReasoning = (item: JsonRecord | undefined) => typeOf(item) === "reasoning";
const isReply = (item: JsonRecord | undefined) =>
  isReasoning(item) || item?.role === "assistant" || typeOf(item).endsWith("_call");

function checkReasoning(items: readonly JsonRecord[], stored: readonly JsonRecord[]): readonly string[] {
  const followers = new Map(stored.map((item, index) => [nameOf(item), stored[index + 1]]));
  const leaders = new Map(stored.map((item, index) => [nameOf(item), stored[index - 1]]));
  return items.flatMap((item, index) => {
    const next = items[index + 1];
    const leader = item.id === undefined ? undefined : leaders.get(nameOf(item));
    if (leader !== undefined && isReasoning(leader) && nameOf(items[index - 1]) !== nameOf(leader)) {
      return [`Item '${item.id}' was provided without its required 'reasoning' item: '${leader.id}'.`];
    }
    if (!isReasoning(item)) return [];
    const follower = followers.get(nameOf(item));
    const isFollowed = follower?.id === undefined ? isReply(next) : nameOf(next) === nameOf(follower);
    return isFollowed
      ? []
      : [`Item '${item.id}' of type 'reasoning' was provided without its required following item.`];
  });
}

/** The same item is known by its id, whatever was changed in it. */
function nameOf(item: JsonRecord | undefined): string {
  return asText(item?.id) ?? JSON.stringify(item ?? null);
}
