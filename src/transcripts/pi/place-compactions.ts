import { contentBlocks, isToolResult } from "../../core/message/tool-pairs.ts";
import type { TranscriptEntry } from "../../core/transcript/assemble-transcript.ts";
import { stamped, textBlocks } from "../../core/transcript/transcript-draft.ts";

/** What one line of the file adds. */
export type SessionPart =
  | { readonly type: "entry"; readonly entry: TranscriptEntry }
  | {
      readonly type: "compaction";
      readonly summary: string | undefined;
      readonly tokensBefore: number | undefined;
      /** The first line that stayed in the context. */
      readonly firstKeptId: string | undefined;
    };

export interface SessionLine {
  readonly id: string;
  readonly ts: number | undefined;
  readonly part: SessionPart;
}

/**
 * The entries of a branch. A summary stands before the first message that was kept, as the model saw it, although it was written
 * after it.
 */
export function placeCompactions(lines: readonly SessionLine[]): readonly TranscriptEntry[] {
  const places = new Map(lines.map(({ id }, index) => [id, index]));
  const starts = pairStarts(lines);
  const summariesAt = new Map<number, TranscriptEntry[]>();
  for (const [index, { id, ts, part }] of lines.entries()) {
    if (part.type !== "compaction") continue;
    const kept = places.get(part.firstKeptId ?? "") ?? index;
    const place = starts[Math.min(kept, index)] ?? index;
    const { summary, tokensBefore } = part;
    const entries = summariesAt.get(place) ?? [];
    summariesAt.set(place, entries);
    entries.push({ type: "compaction", ...(summary && { summary }), ...(tokensBefore && { tokensBefore }) });
    entries.push({ type: "message", message: stamped("user", textBlocks(summary), { id, ts }) });
  }
  return lines.flatMap(({ part }, index) => [
    ...(summariesAt.get(index) ?? []),
    ...(part.type === "entry" ? [part.entry] : []),
  ]);
}

/** For each line, the nearest one at or before it where a call is not parted from its results. */
function pairStarts(lines: readonly SessionLine[]): readonly number[] {
  const starts: number[] = [];
  for (const [index, line] of lines.entries()) starts.push(hasResults(line) ? (starts.at(-1) ?? 0) : index);
  return starts;
}

function hasResults(line: SessionLine): boolean {
  if (line.part.type !== "entry" || line.part.entry.type !== "message") return false;
  return contentBlocks(line.part.entry.message.content).some(isToolResult);
}
