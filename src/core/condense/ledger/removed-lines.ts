import { isDistinctive } from "./code-lines.ts";
import type { LogBlock } from "./log-blocks.ts";

/** Remembers what edits took away, the newest first: older lines of the same file that say it are true no longer. */
export function createRemovedLines(failed: ReadonlySet<string>) {
  const byPath = new Map<string, Set<string>>();
  return {
    /** What was taken away from the file of a block after it; a block that takes lines away itself is noted. */
    since({ source, act, call }: LogBlock, path: string | undefined): ReadonlySet<string> | undefined {
      if (path === undefined) return undefined;
      const codes = byPath.get(path);
      if (source !== "call" || act === undefined || act.removed.size === 0 || failed.has(call?.id ?? "")) return codes;
      const noted = codes ?? new Set();
      byPath.set(path, noted);
      for (const code of act.removed) if (isDistinctive(code)) noted.add(code);
      return noted;
    },
  };
}
