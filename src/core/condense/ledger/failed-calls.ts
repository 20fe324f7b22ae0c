import type { LogBlock } from "./log-blocks.ts";

/** How tools without an error flag say that nothing was changed. */
const NOTHING_DONE = /^(?:error\b|failed\b|apply_patch verification failed|could not\b|no changes\b|invalid patch\b)/i;

/** The ids of calls that failed, and so changed nothing. */
export function failedCalls(blocks: readonly LogBlock[]): ReadonlySet<string> {
  const failed = new Set<string>();
  for (const { source, call, isError, lines } of blocks) {
    if (source !== "result" || call === undefined) continue;
    if (isError || NOTHING_DONE.test(lines[0]?.text.trim() ?? "")) failed.add(call.id);
  }
  return failed;
}
