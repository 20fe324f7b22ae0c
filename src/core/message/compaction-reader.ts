import { modelWords } from "../models/model-words.ts";
import { isCompactionBlock } from "./compaction-block.ts";
import type { Block } from "./message.ts";

/** The provider whose compactions a model can read: "other" for models that read none of them, "any" where the model is not known. */
export type CompactionReader = "anthropic" | "openai" | "other" | "any";

const READERS: Readonly<Record<string, CompactionReader>> = {
  claude: "anthropic",
  gpt: "openai",
  codex: "openai",
  ...Object.fromEntries(
    ["gemini", "gemma", "deepseek", "grok", "qwen", "llama", "mistral", "kimi", "glm"].map((name) => [name, "other"]),
  ),
};

/** Tells from a model's id whose compactions it reads; "any" for an id that names no model family that we know. */
export function compactionReaderOf(modelId: string): CompactionReader {
  const words = modelWords(modelId);
  const named = words.map((word) => READERS[word]).find((reader) => reader !== undefined);
  // o3, o4-mini
  return named ?? (words[0] === "o" && /^\d$/.test(words[1] ?? "") ? "openai" : "any");
}

/** Whether a block is a provider's compaction that this reader cannot read. */
export function isForeignCompaction(block: Block, reader: CompactionReader): boolean {
  return reader !== "any" && isCompactionBlock(block) && compactionProvider(block) !== reader;
}

/** Who wrote a compaction: Anthropic's have a text, OpenAI's have none. */
export function compactionProvider(block: Block): "anthropic" | "openai" {
  return compactionText(block) === undefined ? "openai" : "anthropic";
}

/** What a compaction says where it can be read; undefined where it is sealed. */
export function compactionText(block: Block): string | undefined {
  const { content }: Readonly<Record<string, unknown>> = { ...block };
  return typeof content === "string" ? content : undefined;
}
