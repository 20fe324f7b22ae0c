import { PalimpsestError } from "../../core/errors.ts";
import type { Transcript } from "../../core/transcript/transcript.ts";
import { TRANSCRIPT_FORMATS } from "../../transcripts/formats.ts";
import { readTranscript } from "../../transcripts/read-transcript.ts";
import { CommandError } from "./command-error.ts";
import { type Arguments, type Command, type CommandOption, choiceOption } from "./command-line.ts";

const FORMAT_NAMES = TRANSCRIPT_FORMATS.map(({ name }) => name).toSorted();

/** The option of every command that reads a session file. */
export const FROM_OPTION: CommandOption = {
  value: "FORMAT",
  about: `the format of the file, if its content does not show it:\n${wrapNames(FORMAT_NAMES)}`,
};

/**
 * Reads the session file that `<file>` names, or standard input for `-`. Throws a `CommandError` that names the file and what to do.
 * @default input process.stdin
 */
export async function readSessionFile(
  command: Command,
  given: Arguments,
  input: AsyncIterable<Uint8Array> = process.stdin,
): Promise<Transcript> {
  const { file = "" } = given.values;
  const format = choiceOption(command, given, { name: "from", choices: FORMAT_NAMES });
  try {
    return await readTranscript(file === "-" ? input : file, format === undefined ? {} : { format });
  } catch (error) {
    throw explain(error, file);
  }
}

/** The name of a file for messages. */
export function nameOfFile(file: string): string {
  return file === "-" ? "standard input" : file;
}

function explain(error: unknown, file: string): unknown {
  const name = nameOfFile(file);
  if (!(error instanceof PalimpsestError)) return file === "-" ? unreadableInput(error) : error;
  // An error about the file itself, and not its content, names the file already.
  if (error.code === "invalid-argument" && file !== "-") return new CommandError(1, error.message);
  const fix = error.code === "unknown-format" ? " If it is one of them, pass --from FORMAT." : "";
  return new CommandError(1, `${name}: ${error.message}${fix}`);
}

/** An error of the system about standard input is the caller's to fix; any other error is ours, and is kept with its stack trace. */
function unreadableInput(error: unknown): unknown {
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  return new CommandError(1, `Cannot read standard input: ${error.message}. Pipe a session file into it.`);
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
