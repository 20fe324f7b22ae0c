import type { RewindTarget } from "../../engine/session/rewind.ts";
import type { Session } from "../../engine/session/session.ts";
import { findSessionId, type OpenSessions, withSessions } from "../sessions/open-sessions.ts";
import { renderRewind } from "../sessions/render-rewind.ts";
import { type RewindOutcome, rehearsalOf, rewindAndCompare } from "../sessions/rewind-session.ts";
import { readHistory, saidOnPath } from "../sessions/session-history.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { recordedFiles, sessionFiles, WORKSPACE_OPTION } from "../sessions/workspace-storage.ts";
import { type Ask, askOnTerminal } from "../terminal/ask.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type Arguments, type Command, readArguments, wrongUsage } from "../terminal/command-line.ts";
import { findId } from "../terminal/find-id.ts";
import { countOf } from "../terminal/numbers.ts";
import { columnsOf, jsonText, type Output, styleFor } from "../terminal/output.ts";
import { withProgress } from "../terminal/progress.ts";

const TARGETS = ["to-message", "to-version", "to-checkpoint", "undo"] as const;

const COMMAND: Command = {
  name: "rewind",
  about: `Makes a stored session what it was at another moment: its messages, its folds and, with --files, its
files. Nothing is lost: --undo takes the newest rewind back, and again the one before it. palimpsest
sessions show lists the moments.

Before the command changes files, it shows which, and asks. In a script, it needs --yes.`,
  positionals: ["session"],
  options: {
    "to-message": { value: "ID", about: "go to the moment when this message had just been said" },
    before: { about: "with --to-message: go to right before it" },
    "to-version": { value: "N", about: "go to a version" },
    "to-checkpoint": { value: "ID", about: "go to a checkpoint" },
    undo: { about: "take back the newest rewind" },
    files: { about: "also bring back the files of that moment" },
    workspace: WORKSPACE_OPTION,
    yes: { about: "with --files: do not ask" },
    "dry-run": { about: "show what would change, and change nothing" },
    json: { about: "print it for machines" },
    store: STORE_OPTION,
  },
};

/** `palimpsest rewind <session> --to-message ID`; returns the exit code. */
export async function rewind(
  commandArguments: readonly string[],
  output: Output = process.stdout,
  notes: Output = process.stderr,
): Promise<number> {
  return rewindAsking(commandArguments, { output, notes, ask: askOnTerminal() });
}

export interface RewindOutputs {
  readonly output: Output;
  readonly notes: Output;
  /** Undefined if there is no terminal to ask on. */
  readonly ask: Ask | undefined;
}

/** `rewind` with a way to ask the person; returns 1 if the person does not agree. */
export async function rewindAsking(commandArguments: readonly string[], outputs: RewindOutputs): Promise<number> {
  const { output, notes, ask } = outputs;
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  assertOneTarget(given);
  const isJson = given.flags.has("json");
  const isDryRun = given.flags.has("dry-run");
  const run = (runOptions: { readonly isDryRun: boolean }) =>
    withProgress({ notes, isJson }, ({ during }) =>
      during(`rewinding ${given.values.session}`, () =>
        withSessions(COMMAND, given, { use: (sessions) => rewindStored(sessions, given, runOptions) }),
      ),
    );
  const mustAsk = given.flags.has("files") && !isDryRun && !given.flags.has("yes");
  if (mustAsk && !(await isAgreed(await run({ isDryRun: true }), { notes, ask }))) {
    output.write(isJson ? "null\n" : "Nothing was changed.\n");
    return 1;
  }
  const outcome = await run({ isDryRun });
  output.write(isJson ? jsonText(outcome) : rendered(outcome, output));
  return 0;
}

function rendered(outcome: RewindOutcome, output: Output): string {
  return renderRewind(outcome, { columns: columnsOf(output), style: styleFor(output, process.env) });
}

/** Shows which files would change, and asks whether to go on; true without asking if none would. */
async function isAgreed(
  preview: RewindOutcome,
  { notes, ask }: Pick<RewindOutputs, "notes" | "ask">,
): Promise<boolean> {
  const changed = preview.files?.changed.length ?? 0;
  if (changed === 0) return true;
  const files = countOf(changed, "file");
  if (ask === undefined) {
    const fix = "--dry-run shows them. Add --yes if that is meant.";
    throw new CommandError(2, `rewind: ${files} in this folder would be written or removed. ${fix}`);
  }
  notes.write(rendered(preview, notes));
  return ask(`Write or remove ${files}?`);
}

async function rewindStored(
  { engine, store, location }: OpenSessions,
  given: Arguments,
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<RewindOutcome> {
  const { session: named = "", workspace } = given.values;
  const id = await findSessionId(store, named);
  const files = given.flags.has("files")
    ? recordedFiles(sessionFiles({ location, sessionId: id, workspace }))
    : undefined;
  const session = await engine.session(id, { workspace: files });
  const target = await targetOf(session, given);
  const rehearsal = isDryRun ? await rehearsalOf(session, store) : undefined;
  return rewindAndCompare(session, { target, rehearsal, files });
}

function assertOneTarget({ values, flags }: Arguments): void {
  const chosen = TARGETS.filter((name) => values[name] !== undefined || flags.has(name));
  const listed = TARGETS.map((name) => `--${name}`).join(", ");
  const given = chosen.map((name) => `--${name}`).join(" and ") || "none";
  if (chosen.length !== 1) throw wrongUsage(COMMAND, `Pass one of ${listed}; given: ${given}.`);
  if (flags.has("before") && values["to-message"] === undefined) {
    throw wrongUsage(COMMAND, "--before goes with --to-message.");
  }
  if (values.workspace !== undefined && !flags.has("files")) {
    throw wrongUsage(COMMAND, "--workspace goes with --files: without it, no file is touched.");
  }
  if (flags.has("yes") && !flags.has("files"))
    throw wrongUsage(COMMAND, "--yes goes with --files: else nobody is asked.");
}

async function targetOf(session: Session, { values, flags }: Arguments): Promise<RewindTarget> {
  const { "to-message": message, "to-version": version, "to-checkpoint": checkpoint } = values;
  if (message !== undefined) {
    const ids = saidOnPath(await readHistory(session)).flatMap((said) => said.message.id ?? []);
    return { toMessage: findId(message, ids, "message"), includeMessage: !flags.has("before") };
  }
  if (version !== undefined) return { toVersion: versionOf(version, await session.version()) };
  if (checkpoint !== undefined) {
    const ids = (await session.checkpoints()).map(({ id }) => id);
    return { toCheckpoint: findId(checkpoint, ids, "checkpoint") };
  }
  return { undo: true };
}

function versionOf(text: string, newest: number): number {
  const version = /^\d+$/.test(text) ? Number(text) : undefined;
  if (version === undefined)
    throw wrongUsage(COMMAND, `--to-version is ${JSON.stringify(text)}; it must be a whole number.`);
  if (version <= newest) return version;
  throw new CommandError(1, `The session has versions 0 to ${newest}, not ${version}.`);
}
