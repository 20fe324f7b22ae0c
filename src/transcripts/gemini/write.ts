import { isRecord, type JsonRecord } from "../../core/json/read-json.ts";
import { type Block, type Content, isKnownBlock, type KnownBlock, type Message } from "../../core/message/message.ts";
import { contentBlocks, isToolUse } from "../../core/message/tool-pairs.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";

/** A conversation as a request to Gemini's API holds it. */
export interface GeminiConversation {
  readonly systemInstruction?: { readonly parts: readonly JsonRecord[] };
  readonly contents: readonly GeminiTurn[];
}

export interface GeminiTurn {
  readonly role: "user" | "model";
  readonly parts: readonly JsonRecord[];
}

/**
 * Writes a transcript in the form of Gemini's API. Neighbouring messages of one role become one turn, as the responses to parallel calls must come
 * together. Ids of messages, times and tags are left out.
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

/** The name of the function for each call's id: Gemini's responses have the name, our results do not. */
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

/** The text of a result, and its other blocks as parts. */
function splitResult(content: Content): readonly [string, readonly JsonRecord[]] {
  if (typeof content === "string") return [content, []];
  const texts = content.flatMap((item) => (isKnownBlock(item) && item.type === "text" ? [item.text] : []));
  const others = content.filter((item) => item.type !== "text");
  return [texts.join("\n"), writeParts(others, new Map())];
}

/** Writes a block that our model does not know. One from Gemini has the name of its part's field as type, and is written as it was; any other becomes text. */
function writeUnknown({ type, ...rest }: Block): JsonRecord {
  return Object.hasOwn(rest, type) ? rest : { text: serialize({ type, ...rest }) };
}
