import { type ImportedSession, importExport, importTranscript, readImportFile } from "../sessions/import-session.ts";
import { type OpenSessions, withSessions } from "../sessions/open-sessions.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { type Command, readArguments } from "../terminal/command-line.ts";
import { countOf } from "../terminal/numbers.ts";
import { jsonText, type Output } from "../terminal/output.ts";
import { withProgress } from "../terminal/progress.ts";
import { FROM_OPTION, nameOfFile } from "../terminal/read-session-file.ts";
import { oneLine } from "../terminal/safe-text.ts";

const COMMAND: Command = {
  name: "sessions import",
  about: `Makes a stored session of a file: a session file of any known agent, or a file that sessions export
wrote, which comes back with its folds and everything that was rewound. The file is not changed; - is
standard input.`,
  positionals: ["file"],
  options: {
    id: { value: "ID", about: "the id of the session (default: the one in the file, else the name of the file)" },
    json: { about: "print { id, format, messages, tokens, folds, leftOut, problems } for machines" },
    store: STORE_OPTION,
    from: FROM_OPTION,
  },
};

const MAX_PROBLEMS = 5;

/** `palimpsest sessions import <file>`; returns the exit code. */
export async function importSession(
  commandArguments: readonly string[],
  { output, notes }: { readonly output: Output; readonly notes: Output },
): Promise<number> {
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const { id, file: path = "" } = given.values;
  const file = nameOfFile(path);
  const isJson = given.flags.has("json");
  const imported = await withProgress({ notes, isJson }, async ({ during }) => {
    const read = await during(`reading ${file}`, () => readImportFile(COMMAND, given));
    const use = (sessions: OpenSessions) =>
      read.type === "export"
        ? importExport(sessions, read.exported, { file, id })
        : importTranscript(sessions, read.transcript, { file: path, id });
    return during(`importing ${file}`, () => withSessions(COMMAND, given, { mayCreate: true, use }));
  });
  if (isJson) output.write(jsonText(imported));
  else output.write(`${importedLines(imported, file).join("\n")}\n`);
  return 0;
}

function importedLines(imported: ImportedSession, file: string): readonly string[] {
  const { id, format, messages, tokens, folds, leftOut, problems } = imported;
  const sizes = [countOf(messages, "message"), ...(folds === 0 ? [] : [countOf(folds, "fold")])];
  const more = problems.length - MAX_PROBLEMS;
  return [
    `${file} (${format}) is now the session ${JSON.stringify(id)}: ${sizes.join(", ")}, ${countOf(tokens, "token")} in the view`,
    ...leftOut.map((what) => `not kept: ${what}`),
    ...problems.slice(0, MAX_PROBLEMS).map(({ where, reason }) => `not read: ${where}: ${reason}`),
    ...(more > 0 ? [`not read: ${countOf(more, "more place")}; palimpsest inspect lists them`] : []),
  ].map(oneLine);
}
