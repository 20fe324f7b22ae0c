import type { FileChange, SkippedFile } from "../../checkpoints/checkpoint.ts";
import type { SessionCheckpoint } from "../../engine/session/checkpoints.ts";
import { countOf, formatBytes, formatCount } from "../terminal/numbers.ts";
import { relativeTime } from "../terminal/relative-time.ts";
import { oneLine, safeText } from "../terminal/safe-text.ts";
import { type Column, renderTable } from "../terminal/table.ts";
import type { CheckpointOutcome } from "./checkpoint-session.ts";
import type { RenderOptions } from "./render-sessions.ts";

const COLUMNS: readonly Column[] = [
  { title: "version", align: "right" },
  { title: "messages", align: "right" },
  { title: "files", align: "left" },
  { title: "when", align: "left" },
  { title: "why", align: "left" },
  { title: "checkpoint", align: "left" },
];

/** The lines that list a session's checkpoints, newest first; empty if it has none. */
export function renderCheckpoints(
  checkpoints: readonly SessionCheckpoint[],
  { columns, style, now }: RenderOptions,
): readonly string[] {
  if (checkpoints.length === 0) return [];
  const rows = checkpoints.map(({ id, at, version, messages, reason, filesId }) => [
    String(version),
    formatCount(messages),
    filesId === undefined ? "no" : "yes",
    relativeTime(at, now),
    reason,
    oneLine(id),
  ]);
  const [titles = "", ...lines] = renderTable(COLUMNS, rows, columns);
  return [style.heading("Checkpoints"), style.faint(titles), ...lines];
}

const MAX_SKIPPED = 5;

/** The text that tells a person the outcome of an action on checkpoints. */
export function renderCheckpointOutcome(outcome: CheckpointOutcome, options: RenderOptions): string {
  return `${linesOf(outcome, options).join("\n")}\n`;
}

function linesOf(outcome: CheckpointOutcome, options: RenderOptions): readonly string[] {
  switch (outcome.type) {
    case "saved": {
      const { checkpoint, files } = outcome;
      const log = `${countOf(checkpoint.messages, "message")} at version ${checkpoint.version}`;
      const kept = files === undefined ? "no files" : `${countOf(files.changed, "changed file")}`;
      return [oneLine(`${checkpoint.id}: ${log}, ${kept}`), ...skippedLines(files?.skipped ?? [], options)];
    }
    case "listed":
      return outcome.checkpoints.length === 0
        ? ["The session has no checkpoints yet."]
        : renderCheckpoints(outcome.checkpoints, options);
    case "compared": {
      const since = oneLine(outcome.checkpointId);
      if (outcome.changes.length === 0) return [`No file has changed since ${since}.`];
      const title = `${countOf(outcome.changes.length, "file")} changed since ${since}`;
      return [options.style.heading(title), ...outcome.changes.flatMap(changeLines)];
    }
    case "measured":
      return [`The checkpoints of its files take ${formatBytes(outcome.bytes)}.`];
    case "pruned": {
      const { removed, freedBytes, withoutFiles } = outcome;
      const lost = withoutFiles.map((id) => oneLine(`${id} has no files any longer; its messages are still there`));
      return [
        `${countOf(removed.length, "checkpoint")} of its files removed, ${formatBytes(freedBytes)} freed.`,
        ...lost,
      ];
    }
  }
}

function skippedLines(skipped: readonly SkippedFile[], { style }: RenderOptions): readonly string[] {
  const more = skipped.length - MAX_SKIPPED;
  return [
    ...skipped.slice(0, MAX_SKIPPED).map(({ path, reason }) => oneLine(`not saved (${reason}): ${path}`)),
    ...(more > 0 ? [`not saved: ${countOf(more, "more file")}; --json lists them all`] : []),
  ].map(style.warning);
}

function changeLines({ type, path, patch }: FileChange): readonly string[] {
  const title = oneLine(`${type} ${path}`);
  switch (patch.type) {
    case "text":
      return ["", title, safeText(patch.text).trimEnd()];
    case "binary":
      return ["", `${title} (binary)`];
    case "too-large":
      return ["", `${title} (too large to be shown)`];
  }
}
