import { checkMessages } from "../../core/message/check-messages.ts";
import type { Block, Content } from "../../core/message/message.ts";

const NOTHING = "(no output)";

/** Reads what an executor returned. An empty output becomes a text that says so; a value that is no output is shown as JSON. */
export function readOutput(output: unknown): { readonly content: Content; readonly isError: boolean } {
  if (output === undefined || output === null) return { content: NOTHING, isError: false };
  if (typeof output !== "object" || Array.isArray(output)) return { content: readContent(output), isError: false };
  const content: unknown = Reflect.get(output, "content");
  const isError = Reflect.get(output, "isError") === true;
  const isNone = content === undefined && !("content" in output);
  return { content: isNone ? asJson(output) : readContent(content), isError };
}

function readContent(content: unknown): Content {
  if (content === undefined || content === null) return NOTHING;
  if (typeof content === "string") return content.trim() === "" ? NOTHING : content;
  if (!isBlocks(content)) return asJson(content);
  // Providers refuse blank texts.
  const shown = content.filter((block) => !("text" in block) || String(block.text).trim() !== "");
  return shown.length === 0 ? NOTHING : shown;
}

function isBlocks(content: unknown): content is readonly Block[] {
  try {
    checkMessages([{ role: "user", content }]);
    return Array.isArray(content) && JSON.stringify(content) !== undefined;
  } catch {
    return false;
  }
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? NOTHING;
  } catch {
    return "(an output that cannot be shown)";
  }
}
