import { isJsonObject, type JsonObject, objectsOf, unknownKey } from "../json.ts";
import { type Refusal, refuse } from "../wire-protocol.ts";
import { isForged } from "./thinking.ts";
import { imageFaults, mediaRoleFaults, resultContentFaults } from "./validate-content.ts";

/** The fields of the blocks that agents send; for other blocks, only the type is checked. */
const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(["type", "text", "cache_control", "citations"]),
  image: new Set(["type", "source", "cache_control", "transformations"]),
  tool_use: new Set(["type", "id", "name", "input", "cache_control", "caller", "toolset_name"]),
  tool_result: new Set(["type", "tool_use_id", "content", "is_error", "cache_control", "toolset_name"]),
  thinking: new Set(["type", "thinking", "signature"]),
  redacted_thinking: new Set(["type", "data"]),
  compaction: new Set(["type", "content", "encrypted_content", "signature", "tool_changes", "cache_control"]),
};

const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  image: ["source"],
  tool_use: ["id", "name", "input"],
  tool_result: ["tool_use_id"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
};

const OTHER_TYPES =
  /^(document|search_result|server_tool_use|container_upload|fallback|mcp_\w+|tool_addition|tool_removal|\w+_tool_result)$/;

const SYSTEM_TYPES: ReadonlySet<unknown> = new Set(["text", "tool_addition", "tool_removal"]);

/** The names of tools that may be called. */
export const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** The content as blocks: a string is one text block. */
export function blocksOf({ content }: JsonObject): readonly JsonObject[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : objectsOf(content);
}

export function* blockFaults(block: unknown, place: string, role: unknown): Generator<Refusal> {
  if (!isJsonObject(block)) {
    yield refuse(`${place}: Input should be an object`);
    return;
  }
  const type = String(block.type);
  yield* mediaRoleFaults(block, place, role);
  if (block.type === undefined) yield refuse(`${place}.type: Field required`);
  const fields = Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined;
  if (fields === undefined) {
    if (!OTHER_TYPES.test(type)) {
      yield refuse(`${place}: Input tag '${type}' found using 'type' does not match any of the expected tags`);
    }
    return;
  }
  for (const field of REQUIRED[type] ?? []) {
    if (block[field] === undefined) yield refuse(`${place}.${type}.${field}: Field required`);
  }
  const extra = unknownKey(block, fields);
  if (extra !== undefined) yield refuse(`${place}.${type}.${extra}: Extra inputs are not permitted`);
  yield* roleFaults(block, place, role);
  yield* valueFaults(block, place);
}

function* roleFaults({ type }: JsonObject, place: string, role: unknown): Generator<Refusal> {
  if (role === "system" && !SYSTEM_TYPES.has(type)) yield refuse(`${place}.type: Input should be 'text'`);
  if (type === "tool_use" && role === "user")
    yield refuse(`${place}: \`tool_use\` blocks can only be in \`assistant\` messages`);
  if ((type === "thinking" || type === "redacted_thinking") && role === "user")
    yield refuse(`${place}: \`${type}\` blocks can only be in \`assistant\` messages`);
  if (type === "tool_result" && role === "assistant") {
    yield refuse(`${place}: \`tool_result\` blocks can only be in \`user\` messages`);
  }
}

function* valueFaults(block: JsonObject, place: string): Generator<Refusal> {
  switch (block.type) {
    case "text":
      if (typeof block.text !== "string") yield refuse(`${place}.text.text: Input should be a valid string`);
      if (block.text === "" && block.cache_control) {
        yield refuse(`${place}.text: cache_control cannot be set for empty text blocks`);
      }
      return;
    case "image":
      yield* imageFaults(block, place);
      return;
    case "tool_result":
      yield* resultContentFaults(block, place);
      for (const [index, item] of objectsOf(block.content).entries()) {
        yield* blockFaults(item, `${place}.tool_result.content.${index}`, "user");
      }
      return;
    case "tool_use":
      if (!/^[a-zA-Z0-9_-]+$/.test(String(block.id))) {
        yield refuse(`${place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
      }
      if (!TOOL_NAME.test(String(block.name))) {
        yield refuse(`${place}.tool_use.name: String should match pattern '${TOOL_NAME.source}'`);
      }
      if (!isJsonObject(block.input)) yield refuse(`${place}.tool_use.input: Input should be a valid dictionary`);
      return;
    case "thinking":
      // Reasoning of other providers has none, and some programs send an empty one.
      if (isForged(block) || block.signature === "")
        yield refuse(`${place}: Invalid \`signature\` in \`thinking\` block`);
  }
}
