import { isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, type Content, isKnownBlock, type KnownBlock, type Message } from "../../core/message/message.ts";
import { contentBlocks, isToolUse } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";

/** What a request to Gemini's API holds of a conversation. */
export interface GeminiConversation {
  readonly systemInstruction?: { readonly parts: readonly JsonRecord[] };
  readonly contents: readonly GeminiTurn[];
}

export interface GeminiTurn {
  readonly role: "user" | "model";
  readonly parts: readonly JsonRecord[];
}

/**
 * The conversation as Gemini's API has it. Neighbouring messages of one role become one turn, as the answers to parallel calls
 * must come together; ids of messages, times and tags are left out.
 * @example
 * ```ts
 * import { readTranscript, writeGemini } from "palimpsest/transcripts";
 * const bytes = async function* () { yield Buffer.from('[{ "role": "user", "content": "Why?" }]'); };
 * console.log(JSON.stringify(writeGemini(await readTranscript(bytes())))); // {"contents":[{"role":"user","parts":[{"text":"Why?"}]}]}
 * ```
 */
export function writeGemini({ messages, systemPrompt }: Transcript): GeminiConversation {
  const names = toolNames(messages);
  const contents: { role: GeminiTurn["role"]; parts: JsonRecord[] }[] = [];
  for (const { role: ourRole, content } of messages) {
    const role = ourRole === "assistant" ? "model" : "user";
    const parts = writeParts(content, names);
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts: [...parts] });
  }
  return {
    ...(systemPrompt !== undefined && { systemInstruction: { parts: [{ text: systemPrompt }] } }),
    contents,
  };
}

/** Answers name their function, which our results do not. */
function toolNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap(({ content }) => contentBlocks(content).filter(isToolUse));
  return new Map(calls.map(({ id, name }) => [id, name]));
}

function writeParts(content: Content, names: ReadonlyMap<string, string>): readonly JsonRecord[] {
  if (typeof content === "string") return [{ text: content }];
  return content.map((block) => (isKnownBlock(block) ? writeKnown(block, names) : writeUnknown(block)));
}

function writeKnown(block: KnownBlock, names: ReadonlyMap<string, string>): JsonRecord {
  switch (block.type) {
    case "text":
      return { text: block.text, ...signatureOf(block) };
    case "reasoning":
      return { text: block.text, thought: true, ...signatureOf(block) };
    case "image":
      return block.source.type === "url"
        ? { fileData: { fileUri: block.source.url } }
        : { inlineData: { mimeType: block.source.media_type, data: block.source.data } };
    case "tool_use": {
      const args = isRecord(block.input) ? block.input : { input: block.input };
      return { functionCall: { id: block.id, name: block.name, args }, ...signatureOf(block) };
    }
    case "tool_result": {
      const { tool_use_id: id, content = "", is_error } = block;
      const [text, parts] = splitResult(content);
      const response = is_error ? { error: text } : { output: text };
      const name = names.get(id) ?? "unknown";
      return { functionResponse: { id, name, response, ...(parts.length > 0 && { parts }) } };
    }
  }
}

function signatureOf(block: Block): JsonRecord {
  return "thoughtSignature" in block ? { thoughtSignature: block.thoughtSignature } : {};
}

/** The texts of a result, and what else it holds. */
function splitResult(content: Content): readonly [string, readonly JsonRecord[]] {
  if (typeof content === "string") return [content, []];
  const texts = content.flatMap((item) => (isKnownBlock(item) && item.type === "text" ? [item.text] : []));
  const others = content.filter((item) => item.type !== "text");
  return [texts.join("\n"), writeParts(others, new Map())];
}

/** A part that came from Gemini is named after its field, and goes back as it was; anything else is told as text. */
function writeUnknown({ type, ...rest }: Block): JsonRecord {
  return Object.hasOwn(rest, type) ? rest : { text: serialize({ type, ...rest }) };
}
