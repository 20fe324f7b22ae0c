import type { ToolResultBlock } from "../../../core/message/message.ts";
import { knownBlocks } from "./known-blocks.ts";

/** A tool's output as text, with a word for each image. Never empty: some servers refuse empty results. */
export function resultText({ content }: ToolResultBlock): string {
  const texts = knownBlocks(content ?? "")
    .map((block) => (block.type === "text" ? block.text : block.type === "image" ? "[image]" : ""))
    .filter((text) => /\S/.test(text));
  return texts.join("\n") || "(no output)";
}
