import { folderOffload } from "../../checkpoints/folder-offload.ts";
import { applyRetention, type RetentionOutcome } from "../../engine/retention/apply-retention.ts";
import { OFFLOAD_OPTION, offloadFolder } from "../sessions/offload-folder.ts";
import { maintenanceOf, type OpenSessions, withSessions } from "../sessions/open-sessions.ts";
import { RETENTION_OPTIONS, readRetention } from "../sessions/retention-options.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { sessionFiles } from "../sessions/workspace-storage.ts";
import { type Arguments, type Command, readArguments, wrongUsage } from "../terminal/command-line.ts";
import { countOf, formatBytes } from "../terminal/numbers.ts";
import { jsonText, type Output } from "../terminal/output.ts";
import { withProgress } from "../terminal/progress.ts";
import { oneLine } from "../terminal/safe-text.ts";

const COMMAND: Command = {
  name: "store vacuum",
  about: `Removes sessions that are too old, or beyond a total size, with their request bodies, checkpoints and
files, and gives their space back. Nothing brings them back: try it with --dry-run.

Pinned sessions (palimpsest pin <session>) and those with a pinned message stay. Without --keep and
--keep-size, the command only gives back the space of what was deleted before. On SQLite, gateways that
write wait meanwhile.`,
  positionals: [],
  options: {
    ...RETENTION_OPTIONS,
    "dry-run": { about: "show what would be removed, and remove nothing" },
    json: {
      about: "print { dryRun, removed, removedBytes, keptSessions, keptBytes, pinned, unreadable } for machines",
    },
    offload: OFFLOAD_OPTION,
    store: STORE_OPTION,
  },
};

const NOTHING: RetentionOutcome = {
  removed: [],
  removedBytes: 0,
  keptSessions: 0,
  keptBytes: 0,
  pinned: [],
  unreadable: [],
};

/** `palimpsest store vacuum --keep 90d [--dry-run]`; returns the exit code. */
export async function vacuumStore(
  commandArguments: readonly string[],
  output: Output,
  notes: Output = process.stderr,
): Promise<number> {
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const { keep, "keep-size": keepSize } = given.values;
  const options = { keep: "keep", keepSize: "keep-size" };
  const retention = readRetention({ keep, keepSize }, (field, what) =>
    wrongUsage(COMMAND, `--${options[field]} ${what}`),
  );
  const isDryRun = given.flags.has("dry-run");
  if (isDryRun && retention === undefined) throw wrongUsage(COMMAND, "--dry-run needs --keep or --keep-size.");
  const isJson = given.flags.has("json");
  const outcome = await withProgress({ notes, isJson }, ({ during }) =>
    withSessions(COMMAND, given, {
      use: async (open) => {
        const maintenance = maintenanceOf(COMMAND, open);
        const onRemoved = removalOf(open, given);
        const { store } = open;
        const removed =
          retention === undefined
            ? NOTHING
            : await during("removing sessions", () => applyRetention({ store, retention, isDryRun, onRemoved }));
        if (!isDryRun) await during("giving space back", () => maintenance.vacuum());
        return removed;
      },
    }),
  );
  const text = retention === undefined ? "The space of what was deleted is given back.\n" : render(outcome, isDryRun);
  output.write(isJson ? jsonText({ dryRun: isDryRun, ...outcome }) : text);
  return 0;
}

/** Returns a function that removes what a session has outside of the store: files of tool outputs, and checkpoints of its files. */
function removalOf({ location }: OpenSessions, given: Arguments): (sessionId: string) => Promise<void> {
  const folder = offloadFolder(COMMAND, given, { environment: process.env });
  const offload = folder === undefined ? undefined : folderOffload({ folder });
  return async (sessionId) => {
    await offload?.remove(sessionId);
    await sessionFiles({ location, sessionId, workspace: undefined }).remove();
  };
}

const DAY_MS = 24 * 60 * 60 * 1_000;

function render(outcome: RetentionOutcome, isDryRun: boolean): string {
  const { removed, removedBytes, keptSessions, keptBytes, pinned, unreadable } = outcome;
  const lines = removed.map(({ id, bytes, idleMs, reason }) => {
    return `  ${oneLine(id)}  ${formatBytes(bytes)}, ${countOf(Math.floor(idleMs / DAY_MS), "day")} old (${reason})`;
  });
  const what = isDryRun ? "would be removed" : "removed";
  return [
    ...lines,
    `${countOf(removed.length, "session")} ${what}, ${formatBytes(removedBytes)}`,
    `${countOf(keptSessions, "session")} kept, ${formatBytes(keptBytes)}`,
    ...pinned.map((id) => `  ${oneLine(id)}  stays: it is pinned`),
    ...unreadable.map((id) => `  ${oneLine(id)}  stays: it is damaged, and may be pinned`),
    "",
  ].join("\n");
}
