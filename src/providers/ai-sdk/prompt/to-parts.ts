import type {
  LanguageModelV4FilePart,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import { parseJson } from "../../../core/json/parse-json.ts";
import {
  type Block,
  type Content,
  type ImageSource,
  isKnownBlock,
  type KnownBlock,
  type ReasoningBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from "../../../core/message/message.ts";
import { wellFormed } from "../../../core/text/well-formed.ts";
import { isBase64 } from "../../../core/transcript/data-url.ts";
import type { Seals } from "../provider-table.ts";
import { writeSeals } from "../seals.ts";
import { toolName } from "./tools.ts";

type AssistantPart = LanguageModelV4TextPart | LanguageModelV4ReasoningPart | LanguageModelV4ToolCallPart;
type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart;

export function assistantContent(blocks: readonly KnownBlock[], seals: Seals | undefined): AssistantPart[] {
  return joinTexts(blocks.flatMap((block) => assistantParts(block, seals)));
}

function assistantParts(block: KnownBlock, seals: Seals | undefined): readonly AssistantPart[] {
  switch (block.type) {
    case "text":
      return [textPart(block.text)];
    case "reasoning":
      return [reasoningPart(block, seals)];
    case "tool_use":
      return [callPart(block, seals)];
    case "image":
    case "tool_result":
      return [];
  }
}

/** The text and images of a user's turn, without its tool results. */
export function userContent(blocks: readonly KnownBlock[]): UserPart[] {
  const parts = blocks.flatMap((block): UserPart[] => {
    if (block.type === "text") return /\S/.test(block.text) ? [textPart(block.text)] : [];
    const image = block.type === "image" ? imagePart(block.source) : undefined;
    return image === undefined ? [] : [image];
  });
  return joinTexts(parts);
}

/** The tool results of a user's turn; `names` has the tool's name for each call id. */
export function resultContent(
  blocks: readonly KnownBlock[],
  names: ReadonlyMap<string, string>,
  takesImages: boolean,
): LanguageModelV4ToolResultPart[] {
  return blocks
    .filter((block) => block.type === "tool_result")
    .map((block) => ({
      type: "tool-result",
      toolCallId: block.tool_use_id,
      toolName: names.get(block.tool_use_id) ?? "",
      output: resultOutput(block, takesImages),
    }));
}

function resultOutput(block: ToolResultBlock, takesImages: boolean): LanguageModelV4ToolResultPart["output"] {
  if (block.is_error === true) return { type: "error-text", value: wellFormed(resultText(block)) };
  const items = userContent(knownBlocks(block.content ?? ""));
  if (takesImages && items.some(({ type }) => type === "file")) return { type: "content", value: items };
  return { type: "text", value: wellFormed(resultText(block)) };
}

// Chat wires concatenate the texts of a turn without a separator, so that we separate the texts of joined messages.
function joinTexts<Part extends { readonly type: string }>(
  parts: readonly (Part | LanguageModelV4TextPart)[],
): (Part | LanguageModelV4TextPart)[] {
  const joined: (Part | LanguageModelV4TextPart)[] = [];
  let texts: string[] = [];
  for (const [index, part] of parts.entries()) {
    if (!isText(part)) {
      joined.push(part);
      continue;
    }
    texts.push(part.text);
    const next = parts[index + 1];
    if (next !== undefined && isText(next)) continue;
    joined.push({ type: "text", text: texts.join("\n\n") });
    texts = [];
  }
  return joined;
}

function isText(part: { readonly type: string }): part is LanguageModelV4TextPart {
  return part.type === "text";
}

function textPart(text: string): LanguageModelV4TextPart {
  return { type: "text", text: wellFormed(text) };
}

function reasoningPart(block: ReasoningBlock, seals: Seals | undefined): LanguageModelV4ReasoningPart {
  const text = wellFormed(block.text);
  // sealed text is sent back unchanged: one changed byte breaks the signature
  const providerOptions = seals === undefined || text !== block.text ? undefined : writeSeals(block, seals);
  return { type: "reasoning", text, ...(providerOptions !== undefined && { providerOptions }) };
}

function callPart(block: ToolUseBlock, seals: Seals | undefined): LanguageModelV4ToolCallPart {
  const providerOptions = seals === undefined ? undefined : writeSeals(block, seals);
  return {
    type: "tool-call",
    toolCallId: block.id,
    toolName: toolName(block.name),
    input: toolInput(block.input),
    ...(providerOptions !== undefined && { providerOptions }),
  };
}

// Providers want an object. It is copied through JSON, so that a value without JSON cannot make the request fail.
function toolInput(input: unknown): object {
  try {
    const json = JSON.stringify(input ?? {}, (_, value: unknown) =>
      typeof value === "string" ? wellFormed(value) : value,
    );
    const copy = parseJson(json);
    return typeof copy === "object" && copy !== null && !Array.isArray(copy) ? copy : { input: copy };
  } catch {
    return { input: "[unserializable]" };
  }
}

/** The image in the packages' form; undefined where it cannot be sent. */
export function imagePart(source: ImageSource): LanguageModelV4FilePart | undefined {
  if (source.type === "base64") return embedded(source.media_type, source.data);
  if (source.type !== "url" || !URL.canParse(source.url)) return undefined;
  const [, mediaType, data] = DATA_URL.exec(source.url) ?? [];
  if (data !== undefined) return embedded(mediaType, data);
  const url = new URL(source.url);
  if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
  return { type: "file", mediaType: mediaTypeOf(url), data: { type: "url", url } };
}

/** The formats that models read; a request with any other one is refused. */
const IMAGE_TYPE = /^image\/(?:jpeg|png|gif|webp)$/;
const DATA_URL = /^data:([^;,]+);base64,(.+)$/s;

function embedded(mediaType: unknown, data: unknown): LanguageModelV4FilePart | undefined {
  const shownType = typeof mediaType === "string" ? mediaType.toLowerCase().replace(/^image\/jpg$/, "image/jpeg") : "";
  if (!IMAGE_TYPE.test(shownType) || !isBase64(data)) return undefined;
  return { type: "file", mediaType: shownType, data: { type: "data", data } };
}

// Gemini demands a type beside the URL; the server of the image corrects a wrong guess.
function mediaTypeOf({ pathname }: URL): string {
  const [, extension = ""] = /\.(png|gif|webp)$/i.exec(pathname) ?? [];
  return `image/${extension.toLowerCase() || "jpeg"}`;
}

/** A tool's output as text, with a word for each image. Never empty: some servers refuse empty results. */
export function resultText({ content }: ToolResultBlock): string {
  const texts = knownBlocks(content ?? "")
    .map((block) => (block.type === "text" ? block.text : block.type === "image" ? "[image]" : ""))
    .filter((text) => /\S/.test(text));
  return texts.join("\n") || "(no output)";
}

/** The blocks of known types; a string counts as one text block. */
export function knownBlocks(content: Content): readonly KnownBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.map((block) => sealedReasoning(block) ?? block).filter(isKnownBlock);
}

// Redacted thinking in the form of Anthropic's own messages, which agents' session files have.
function sealedReasoning(block: Block): ReasoningBlock | undefined {
  if (block.type !== "redacted_thinking" || !("data" in block)) return undefined;
  const reasoning = { type: "reasoning", text: "", redactedData: block.data } as const;
  return reasoning;
}
