import { patchedFiles } from "./patched-files.ts";
import { searchedTexts } from "./searched-texts.ts";

/** What an edit expects to find in a file. */
export interface OldText {
  /** Unknown where the tool edits whatever file is open. */
  readonly path: string | undefined;
  readonly text: string;
}

const OLD_TEXT_KEYS: ReadonlySet<string> = new Set(["old_string", "old_str", "oldString", "oldText", "old_text"]);
const PATH_KEYS: ReadonlySet<string> = new Set(["file_path", "filePath", "path", "filename", "file", "target_file"]);
const MAX_DEPTH = 6;

/**
 * The old texts in what a tool was called with, whatever the tool: arguments such as `old_string`, alone or in a list of
 * edits; patches in the apply_patch format, also inside a shell command; SEARCH blocks.
 */
export function oldTexts(input: unknown): readonly OldText[] {
  const found: OldText[] = [];
  const visit = (value: unknown, outerPath: string | undefined, depth: number): void => {
    if (typeof value === "string") {
      found.push(...patchedFiles(value), ...searchedTexts(value, outerPath));
      return;
    }
    if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) return;
    const entries = Object.entries(value);
    const path = entries.find(([key, inner]) => PATH_KEYS.has(key) && typeof inner === "string")?.[1] ?? outerPath;
    for (const [key, inner] of entries) {
      if (OLD_TEXT_KEYS.has(key) && typeof inner === "string") found.push({ path, text: inner });
      else visit(inner, path, depth + 1);
    }
  };
  visit(input, undefined, 0);
  return found;
}
