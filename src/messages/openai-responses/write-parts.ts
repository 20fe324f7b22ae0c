import { asArray, asName, asText, fieldAt, isRecord } from "../../core/json/read-json.ts";
import { type Block, isKnownBlock, type TextBlock } from "../../core/message/message.ts";
import { cacheBreakpointOf, imageDetailOf, imageUrlOf } from "../../core/transcript/openai-parts.ts";
import type {
  OpenAiAnnotation,
  OpenAiInputFile,
  OpenAiInputImage,
  OpenAiInputPart,
  OpenAiOutputPart,
} from "./types.ts";

/** A block as a part of a user's message or of a tool's output; undefined if the API has no such part. */
export function writePart(block: Block): OpenAiInputPart | undefined {
  if (!isKnownBlock(block)) {
    if (block.type === "input_image") return writeImage(block, { file_id: asName(fieldAt(block, "file_id")) });
    if (block.type === "input_file") return writeFile(block, block);
    // The form of Chat Completions.
    return block.type === "file" ? writeFile(block, fieldAt(block, "file")) : undefined;
  }
  if (block.type === "text") return { type: "input_text", text: block.text, ...cacheBreakpointOf(block) };
  return block.type === "image" ? writeImage(block, { image_url: imageUrlOf(block) }) : undefined;
}

function writeImage(
  block: Block,
  { image_url, file_id }: { readonly image_url?: string | undefined; readonly file_id?: string | undefined },
): OpenAiInputImage | undefined {
  if (image_url === undefined && file_id === undefined) return undefined;
  return {
    type: "input_image",
    detail: imageDetailOf(block) ?? "auto",
    ...(image_url !== undefined && { image_url }),
    ...(file_id !== undefined && { file_id }),
    ...cacheBreakpointOf(block),
  };
}

function writeFile(block: Block, file: unknown): OpenAiInputFile | undefined {
  const named = (name: string) => asName(fieldAt(file, name));
  const [file_data, file_id, file_url, filename] = ["file_data", "file_id", "file_url", "filename"].map(named);
  if (file_data === undefined && file_id === undefined && file_url === undefined) return undefined;
  const detail = imageDetailOf(block);
  return {
    type: "input_file",
    ...(detail !== undefined && detail !== "original" && { detail }),
    ...(file_data !== undefined && { file_data }),
    ...(file_id !== undefined && { file_id }),
    ...(file_url !== undefined && { file_url }),
    ...(filename !== undefined && { filename }),
    ...cacheBreakpointOf(block),
  };
}

/** A text as a part of the model's message. */
export function writeOutputPart(block: TextBlock): OpenAiOutputPart {
  if (asText(fieldAt(block, "refusal")) !== undefined) return { type: "refusal", refusal: block.text };
  const annotations = asArray(fieldAt(block, "annotations")).filter(isAnnotation);
  return { type: "output_text", text: block.text, annotations };
}

const ANNOTATION_FIELDS: Readonly<Record<OpenAiAnnotation["type"], Readonly<Record<string, "string" | "number">>>> = {
  url_citation: { url: "string", title: "string", start_index: "number", end_index: "number" },
  file_citation: { file_id: "string", filename: "string", index: "number" },
  file_path: { file_id: "string", index: "number" },
  container_file_citation: {
    container_id: "string",
    file_id: "string",
    filename: "string",
    start_index: "number",
    end_index: "number",
  },
};

function isAnnotation(value: unknown): value is OpenAiAnnotation {
  if (!isRecord(value)) return false;
  const fields = Object.entries(ANNOTATION_FIELDS).find(([type]) => type === value.type)?.[1];
  return fields !== undefined && Object.entries(fields).every(([name, type]) => typeof value[name] === type);
}
