import type { Fold } from "../../core/history/list-folds.ts";
import { cutToWidth } from "../terminal/display-width.ts";
import { countOf, formatCount } from "../terminal/numbers.ts";
import type { Style } from "../terminal/output.ts";
import { oneLine } from "../terminal/safe-text.ts";
import type { MessageLine } from "./read-sessions.ts";
import type { FilesOutcome, RewindOutcome } from "./rewind-session.ts";

const MAX_LISTED = 6;

export interface RenderRewindOptions {
  readonly columns: number;
  readonly style: Style;
}

/** The text that tells a person what a rewind did, or would do. */
export function renderRewind(outcome: RewindOutcome, { columns, style }: RenderRewindOptions): string {
  const { session, isDryRun, toVersion, viewTokensBefore, viewTokensAfter, files } = outcome;
  const name = oneLine(JSON.stringify(session));
  const lines = [
    style.heading(
      isDryRun ? `${name} would be as at version ${toVersion}` : `${name} is as at version ${toVersion} again`,
    ),
    ...listed("removed", outcome.removed.map(describeLine)),
    ...listed("brought back", outcome.broughtBack.map(describeLine)),
    ...foldLines("gone", outcome.foldsRemoved),
    ...foldLines("back", outcome.foldsBroughtBack),
    `  view: ${formatCount(viewTokensBefore)} → ${countOf(viewTokensAfter, "token")}`,
    ...(files === undefined ? [] : fileLines(files)),
    style.faint(isDryRun ? "Nothing was changed: this was a dry run." : howToTakeBack(outcome)),
  ];
  return `${lines.map((line) => cutToWidth(line, columns)).join("\n")}\n`;
}

/** The command that takes the rewind back. An undo cannot be undone, but the version before it can be rewound to. */
function howToTakeBack({ session, isUndo, fromVersion }: RewindOutcome): string {
  const how = isUndo ? `--to-version ${fromVersion}` : "--undo";
  return oneLine(`palimpsest rewind ${JSON.stringify(session)} ${how} takes it back.`);
}

function listed(what: string, messages: readonly string[]): readonly string[] {
  if (messages.length === 0) return [];
  return [`  ${countOf(messages.length, "message")} ${what}`, ...shortened(messages, "message")];
}

function describeLine({ version, id, role, what }: MessageLine): string {
  const parts = [String(version ?? "fold"), ...(id === undefined ? [] : [oneLine(id)]), role, what];
  return parts.join("  ");
}

function foldLines(what: string, folds: readonly Fold[]): readonly string[] {
  if (folds.length === 0) return [];
  const described = folds.map(({ foldId, messages }) =>
    oneLine(messages === 0 ? foldId : `${foldId}, which hides ${countOf(messages, "message")}`),
  );
  return [`  ${countOf(folds.length, "fold")} ${what}`, ...shortened(described, "fold")];
}

function fileLines({ filesId, changed, kept }: FilesOutcome): readonly string[] {
  const title = `  files as in ${filesId.slice(0, 12)}: ${countOf(changed.length, "file")} changed`;
  return [
    title,
    ...shortened(
      changed.map(({ path, type }) => `${type}  ${oneLine(path)}`),
      "file",
    ),
    ...shortened(
      kept.map(({ path, reason }) => `left alone (${reason})  ${oneLine(path)}`),
      "file",
    ),
  ];
}

function shortened(lines: readonly string[], noun: string): readonly string[] {
  const more = lines.length - MAX_LISTED;
  const shown = lines.slice(0, MAX_LISTED).map((line) => `    ${line}`);
  return more > 0 ? [...shown, `    and ${countOf(more, `more ${noun}`)}; --json lists them all`] : shown;
}
