import { asName, fieldAt } from "../../core/json/read-json.ts";
import { type Block, type Content, isKnownBlock, type ToolResultBlock } from "../../core/message/message.ts";
import { isToolResult } from "../../core/message/tool-pairs.ts";
import { fitCallId } from "../../core/transcript/openai-parts.ts";
import { writeLegacyResult } from "./legacy-calls.ts";
import type {
  OpenAiChatFunctionMessage,
  OpenAiChatMessage,
  OpenAiChatPart,
  OpenAiChatTextPart,
  OpenAiChatToolMessage,
} from "./types.ts";
import { MAX_CALL_ID_LENGTH, writePart } from "./write-parts.ts";

const BELOW = "[Shown in the user message below.]";

/** Writes a user's message: first the results, then the media in them (the API takes only text in results), then the other blocks. */
export function writeUser(content: Content): readonly OpenAiChatMessage[] {
  if (typeof content === "string") return [{ role: "user", content }];
  const results = content.filter(isToolResult);
  const media = results.flatMap(mediaParts);
  return [
    ...results.map(writeResult),
    ...(media.length === 0 ? [] : [{ role: "user" as const, content: media }]),
    ...writeSpeeches(content.filter((block) => !isToolResult(block))),
  ];
}

function writeResult({ tool_use_id, content = "" }: ToolResultBlock): OpenAiChatToolMessage {
  const parts = typeof content === "string" ? content : content.flatMap(writeInResult);
  return {
    role: "tool",
    tool_call_id: fitCallId(tool_use_id, MAX_CALL_ID_LENGTH),
    content: parts.length === 0 ? "" : parts,
  };
}

function writeInResult(block: Block): readonly OpenAiChatTextPart[] {
  const part = writePart(block);
  if (part === undefined) return [];
  return [part.type === "text" ? part : { type: "text", text: BELOW }];
}

function mediaParts({ content = "" }: ToolResultBlock): readonly OpenAiChatPart[] {
  if (typeof content === "string") return [];
  return content.flatMap((block) => writePart(block) ?? []).filter(({ type }) => type !== "text");
}

/** Neighbouring blocks of one speaker: blocks of the system may stand in a user's message. */
interface Speech {
  readonly role: "user" | "system" | "developer";
  readonly name: string | undefined;
  readonly blocks: Block[];
}

function writeSpeeches(blocks: readonly Block[]): readonly OpenAiChatMessage[] {
  const list: (Speech | OpenAiChatFunctionMessage)[] = [];
  for (const block of blocks) {
    const answer = writeLegacyResult(block);
    const role = roleOf(block);
    const name = asName(fieldAt(block, "name"));
    const last = list.at(-1);
    if (answer !== undefined) list.push(answer);
    else if (last?.role === role && last.name === name) last.blocks.push(block);
    else list.push({ role, name, blocks: [block] });
  }
  return list.map((entry) => (entry.role === "function" ? entry : writeSpeech(entry)));
}

function roleOf(block: Block): Speech["role"] {
  const role = isKnownBlock(block) && block.type === "text" ? fieldAt(block, "role") : undefined;
  return role === "system" || role === "developer" ? role : "user";
}

function writeSpeech({ role, name, blocks }: Speech): OpenAiChatMessage {
  const named = name === undefined ? {} : { name };
  const parts = blocks.flatMap((block) => writePart(block) ?? []);
  if (role === "user") return { role, ...named, content: name === undefined ? parts : plainText(parts) };
  return { role, ...named, content: plainText(parts.filter((part) => part.type === "text")) };
}

/** A single text as a string, as most clients send it. Our content is a list in these messages only because role and name are fields of blocks. */
function plainText<Part extends OpenAiChatPart>(parts: Part[]): string | Part[] {
  const [part] = parts;
  const isPlain = parts.length === 1 && part?.type === "text" && part.prompt_cache_breakpoint === undefined;
  return isPlain ? part.text : parts;
}
