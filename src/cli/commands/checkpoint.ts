import { type CheckpointAction, runCheckpoint } from "../sessions/checkpoint-session.ts";
import { findSessionId, withSessions } from "../sessions/open-sessions.ts";
import { renderCheckpointOutcome } from "../sessions/render-checkpoints.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { recordedFiles, sessionFiles, WORKSPACE_OPTION } from "../sessions/workspace-storage.ts";
import { type Arguments, type Command, countOption, readArguments, wrongUsage } from "../terminal/command-line.ts";
import { columnsOf, jsonText, type Output, styleFor } from "../terminal/output.ts";
import { withProgress } from "../terminal/progress.ts";

const COMMAND: Command = {
  name: "checkpoint",
  about: `Keeps this moment of a stored session: its log, and the files of its workspace. The files go into a git
repository of our own; yours is not touched. palimpsest rewind --to-checkpoint goes back to it.

With --list, --diff, --disk or --prune, the command shows or tidies up the checkpoints instead.`,
  positionals: ["session"],
  options: {
    workspace: WORKSPACE_OPTION,
    "no-files": { about: "keep the log alone" },
    keep: { value: "N", about: "how many checkpoints of the log to keep; older ones are removed (default: 5)" },
    list: { about: "list the checkpoints, newest first" },
    diff: { value: "ID", about: "show what changed in the files since a checkpoint" },
    disk: { about: "show how much disk space the checkpoints of the files take" },
    prune: { value: "N", about: "forget all but the newest N checkpoints of the files" },
    json: { about: "print it for machines" },
    store: STORE_OPTION,
  },
};

/** `palimpsest checkpoint <session>`; returns the exit code. */
export async function checkpoint(
  commandArguments: readonly string[],
  output: Output = process.stdout,
  notes: Output = process.stderr,
): Promise<number> {
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const action = actionOf(given);
  const { session: named = "", workspace } = given.values;
  const isJson = given.flags.has("json");
  const run = () =>
    withSessions(COMMAND, given, {
      use: async ({ engine, store, location }) => {
        const id = await findSessionId(store, named);
        const files = recordedFiles(sessionFiles({ location, sessionId: id, workspace }));
        const session = await engine.session(id, given.flags.has("no-files") ? {} : { workspace: files });
        return runCheckpoint(session, files, action);
      },
    });
  const outcome = await withProgress({ notes, isJson }, ({ during }) => during(`checkpoint of ${named}`, run));
  if (isJson) output.write(jsonText(outcome));
  else {
    const style = styleFor(output, process.env);
    output.write(renderCheckpointOutcome(outcome, { columns: columnsOf(output), style, now: Date.now() }));
  }
  return 0;
}

function actionOf(given: Arguments): CheckpointAction {
  const keep = countOption(COMMAND, given, "keep");
  const prune = countOption(COMMAND, given, "prune");
  const { diff } = given.values;
  const actions: readonly CheckpointAction[] = [
    ...(given.flags.has("list") ? [{ type: "list" } as const] : []),
    ...(diff === undefined ? [] : [{ type: "diff", checkpointId: diff } as const]),
    ...(given.flags.has("disk") ? [{ type: "disk" } as const] : []),
    ...(prune === undefined ? [] : [{ type: "prune", keep: prune } as const]),
  ];
  const [action, another] = actions;
  if (another !== undefined) throw wrongUsage(COMMAND, "Pass only one of --list, --diff, --disk and --prune.");
  if (action === undefined) return { type: "save", keep };
  if (keep === undefined && !given.flags.has("no-files")) return action;
  throw wrongUsage(COMMAND, `--keep and --no-files are for making a checkpoint; they do not go with --${action.type}.`);
}
