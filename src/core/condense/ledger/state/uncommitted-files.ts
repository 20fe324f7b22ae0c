import { failedCalls } from "../failed-calls.ts";
import { namedFiles } from "../list-files.ts";
import type { LogBlock } from "../log-blocks.ts";

const COMMIT = /\bgit\b[^|;&\n]{0,200}\bcommit\b/;
/** What git says where there was nothing to commit, or it was not done. */
const NO_COMMIT = /nothing (?:added )?to commit|no changes added|Aborting commit|^error:|^fatal:/m;
/** Nobody commits what lies there. */
const TEMPORARY = /^(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev)\//;
const MAX_FILES = 12;

/** The files that were changed since the last commit that the log shows; nothing where it shows none. */
export function uncommittedFiles(blocks: readonly LogBlock[]): readonly { readonly text: string }[] {
  let committed: number | undefined;
  let changed = new Set<string>();
  const failed = failedCalls(blocks);
  for (const { source, act, call, isError, number, lines } of blocks) {
    if (act === undefined || number === undefined) continue;
    if (source === "call") {
      if (call !== undefined && failed.has(call.id)) continue;
      for (const { path, touch } of namedFiles(act)) if (touch !== "read" && !TEMPORARY.test(path)) changed.add(path);
    } else if (source === "result" && !isError && COMMIT.test(act.command ?? "")) {
      if (lines.some(({ text }) => NO_COMMIT.test(text))) continue;
      committed = number;
      changed = new Set();
    }
  }
  if (committed === undefined) return [];
  const files = [...changed];
  const named = files.slice(-MAX_FILES).join(", ");
  const more = files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : "";
  const since = files.length === 0 ? "nothing changed since" : `not committed since: ${named}${more}`;
  return [{ text: `last commit m${committed}; ${since}` }];
}
