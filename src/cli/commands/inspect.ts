import { inspectTranscript } from "../inspect/inspect-transcript.ts";
import { renderInspection } from "../inspect/render-inspection.ts";
import { type Command, helpText } from "../terminal/command.ts";
import { countOption, parseCommandLine } from "../terminal/command-line.ts";
import { columnsOf, type Output } from "../terminal/output.ts";
import { withProgress } from "../terminal/progress.ts";
import { FROM_OPTION, nameOfFile, readSessionFile } from "../terminal/read-session-file.ts";
import { styleFor } from "../terminal/style.ts";

const COMMAND: Command = {
  name: "inspect",
  about: `Shows what fills a session: tokens by kind and by tool, the biggest items, calls that were repeated, how the
context grew, and what would be folded in a window. <file> is a session of any known agent; - is standard input.`,
  positionals: ["file"],
  options: {
    window: { value: "TOKENS", about: "the window to fold for, such as 200000 or 200k (default: the model's)" },
    top: { value: "N", about: "how many of the biggest items and repeated calls to list (default: 10)" },
    json: { about: "print all numbers for machines" },
    from: FROM_OPTION,
  },
};

/** `palimpsest inspect <file>`; returns the exit code. */
export async function inspect(
  commandArguments: readonly string[],
  output: Output = process.stdout,
  notes: Output = process.stderr,
): Promise<number> {
  const given = parseCommandLine(COMMAND, commandArguments);
  if (given.type === "help") {
    output.write(helpText(COMMAND));
    return 0;
  }
  const contextWindow = countOption(COMMAND, given, "window");
  const top = countOption(COMMAND, given, "top");
  const isJson = given.flags.has("json");
  const name = nameOfFile(given.values.file ?? "");
  const inspection = await withProgress({ notes, isJson }, async ({ during }) => {
    const transcript = await during(`reading ${name}`, () => readSessionFile(COMMAND, given));
    return during(`measuring ${name}`, () => inspectTranscript(transcript, { contextWindow, top }));
  });
  if (isJson) {
    output.write(`${JSON.stringify(inspection, undefined, 2)}\n`);
    return 0;
  }
  const options = { columns: columnsOf(output), style: styleFor(output, process.env) };
  output.write(renderInspection(inspection, name, options));
  return 0;
}
