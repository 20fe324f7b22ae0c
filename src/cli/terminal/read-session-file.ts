import { PalimpsestError } from "../../core/errors.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";
import { TRANSCRIPT_FORMATS } from "../../transcripts/formats.ts";
import { readTranscript } from "../../transcripts/read-transcript.ts";
import type { Command, CommandOption } from "./command.ts";
import { CommandError } from "./command-error.ts";
import { type Arguments, choiceOption } from "./command-line.ts";

const FORMAT_NAMES = TRANSCRIPT_FORMATS.map(({ name }) => name).toSorted();

/** The option of every command that reads a session file. */
export const FROM_OPTION: CommandOption = {
  value: "FORMAT",
  about: `the format of the file, where its content does not show it:\n${wrapNames(FORMAT_NAMES)}`,
};

/** Reads the session that `<file>` names, or standard input for `-`; failures name the file and what to do. */
export async function readSessionFile(command: Command, given: Arguments): Promise<Transcript> {
  const { file = "" } = given.values;
  const format = choiceOption(command, given, { name: "from", choices: FORMAT_NAMES });
  try {
    return await readTranscript(file === "-" ? process.stdin : file, format === undefined ? {} : { format });
  } catch (error) {
    throw explain(error, file);
  }
}

/** What a person calls the file. */
export function nameOfFile(file: string): string {
  return file === "-" ? "standard input" : file;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file. Check the path, or pass - to read standard input.",
  ENOTDIR: "a part of the path is no folder. Check the path.",
  EISDIR: "it is a folder. Name one session file in it.",
  EACCES: "its permissions do not allow it. Change them, or copy the file.",
  EPERM: "its permissions do not allow it. Change them, or copy the file.",
};

function explain(error: unknown, file: string): unknown {
  const name = nameOfFile(file);
  if (error instanceof PalimpsestError) {
    const fix = error.code === "unknown-format" ? " If it is one of them, pass --from FORMAT." : "";
    return new CommandError(1, `${name}: ${error.message}${fix}`);
  }
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string") return error;
  return new CommandError(1, `Cannot read ${name}: ${REASONS[error.code] ?? `${error.message}.`}`);
}

function wrapNames(names: readonly string[]): string {
  const lines = [""];
  for (const name of names) {
    const last = lines.at(-1) ?? "";
    if (last.length + name.length > 64) lines.push(name);
    else lines[lines.length - 1] = last === "" ? name : `${last}, ${name}`;
  }
  return lines.join(",\n");
}
