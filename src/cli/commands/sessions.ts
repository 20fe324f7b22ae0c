import { isThere, withSessions } from "../sessions/open-sessions.ts";
import { listSessions, type SessionLine } from "../sessions/read-sessions.ts";
import { noSessions, renderSessions } from "../sessions/render-sessions.ts";
import { nameOfStore, STORE_OPTION, storeLocation } from "../sessions/store-location.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type Arguments, type Command, countOption, listNames, readArguments } from "../terminal/command-line.ts";
import { didYouMean } from "../terminal/did-you-mean.ts";
import { columnsOf, jsonText, type Output, styleFor } from "../terminal/output.ts";
import { type Progress, withProgress } from "../terminal/progress.ts";

interface SessionsOutputs {
  readonly output: Output;
  /** The stream for progress and result lines. */
  readonly notes: Output;
}

interface Action {
  readonly name: string;
  readonly summary: string;
  run(commandArguments: readonly string[], outputs: SessionsOutputs): Promise<number>;
}

const ACTIONS: readonly Action[] = [
  {
    name: "show",
    summary: "show a session: view, folds, events, checkpoints, versions",
    run: async (given, { output }) => (await import("./sessions-show.ts")).showSession(given, output),
  },
  {
    name: "import",
    summary: "make a stored session of a session file",
    run: async (given, outputs) => (await import("./sessions-import.ts")).importSession(given, outputs),
  },
  {
    name: "export",
    summary: "write a session to a file",
    run: async (given, outputs) => (await import("./sessions-export.ts")).exportSession(given, outputs),
  },
  {
    name: "delete",
    summary: "destroy a session",
    run: async (given, outputs) => (await import("./sessions-delete.ts")).deleteSession(given, outputs),
  },
];

const DEFAULT_LIMIT = 20;

const COMMAND: Command = {
  name: "sessions",
  about: `Lists the stored sessions, beginning with the one written to last. Its subcommands:

${listNames(ACTIONS.map(({ name, summary }) => [`sessions ${name}`, summary]))}

You can name sessions, folds, messages and checkpoints by the beginning of their ids.`,
  positionals: [],
  options: {
    limit: { value: "N", about: `how many to list (default: ${DEFAULT_LIMIT})` },
    json: { about: "print them for machines, with sizes in tokens and times in ms" },
    store: STORE_OPTION,
  },
};

/** `palimpsest sessions [show|import|export|delete]`; returns the exit code. */
export async function sessions(
  commandArguments: readonly string[],
  output: Output = process.stdout,
  notes: Output = process.stderr,
): Promise<number> {
  const [name = "", ...rest] = commandArguments;
  const action = ACTIONS.find((candidate) => candidate.name === name);
  if (action !== undefined) return action.run(rest, { output, notes });
  if (name !== "" && !name.startsWith("-")) throw noSuchAction(name);
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const limit = countOption(COMMAND, given, "limit") ?? DEFAULT_LIMIT;
  const isJson = given.flags.has("json");
  const lines = await withProgress({ notes, isJson }, (progress) => list(given, limit, progress));
  if (isJson) output.write(jsonText({ sessions: lines }));
  else if (lines.length === 0) output.write(noSessions(nameOfStore(storeLocation(COMMAND, given, process.env))));
  else {
    const style = styleFor(output, process.env);
    output.write(renderSessions(lines, { columns: columnsOf(output), style, now: Date.now() }));
  }
  return lines.some((line) => "error" in line) ? 1 : 0;
}

/** Lists the stored sessions; none if the default store does not exist yet, which is no failure. */
async function list(given: Arguments, limit: number, { show }: Progress): Promise<readonly SessionLine[]> {
  const location = storeLocation(COMMAND, given, process.env);
  if (location.type === "sqlite" && location.isDefault && !isThere(location)) return [];
  return withSessions(COMMAND, given, { use: (open) => listSessions(open, limit, show) });
}

function noSuchAction(name: string): CommandError {
  const names = ACTIONS.map((action) => action.name);
  const hint = didYouMean(name, names) || ` It takes ${names.join(", ")}, or nothing to list all.`;
  return new CommandError(
    2,
    `sessions: ${JSON.stringify(name)} is nothing that can be done.${hint}\nSee palimpsest sessions --help.`,
  );
}
