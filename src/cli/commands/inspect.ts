import { saveFile } from "../compact/save-file.ts";
import { inspectTranscript } from "../inspect/inspect-transcript.ts";
import { renderInspection } from "../inspect/render-inspection.ts";
import { writeReport } from "../inspect/report/write-report.ts";
import { type Command, countOption, readArguments } from "../terminal/command-line.ts";
import { columnsOf, jsonText, type Output, styleFor } from "../terminal/output.ts";
import { withProgress } from "../terminal/progress.ts";
import { FROM_OPTION, nameOfFile, readSessionFile } from "../terminal/read-session-file.ts";

const COMMAND: Command = {
  name: "inspect",
  about: `Shows what fills a session: tokens by kind and by tool, the biggest items, repeated calls, how the
context grew, and what would be folded in a window. <file> is a session file of any known agent; - is
standard input.`,
  positionals: ["file"],
  options: {
    window: { value: "TOKENS", about: "the window to fold for, such as 200000 or 200k (default: the model's)" },
    top: { value: "N", about: "how many of the biggest items and repeated calls to list (default: 10)" },
    json: { about: "print all numbers for machines" },
    html: { value: "FILE", about: "write a page that shows every message and model call, for any browser" },
    from: FROM_OPTION,
  },
};

/** `palimpsest inspect <file>`; returns the exit code. */
export async function inspect(
  commandArguments: readonly string[],
  output: Output = process.stdout,
  notes: Output = process.stderr,
): Promise<number> {
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const contextWindow = countOption(COMMAND, given, "window");
  const top = countOption(COMMAND, given, "top");
  const isJson = given.flags.has("json");
  const name = nameOfFile(given.values.file ?? "");
  const { html } = given.values;
  const inspection = await withProgress({ notes, isJson }, async ({ during }) => {
    const transcript = await during(`reading ${name}`, () => readSessionFile(COMMAND, given));
    const inspected = await during(`measuring ${name}`, () => inspectTranscript(transcript, { contextWindow, top }));
    if (html === undefined) return inspected;
    const report = await during("drawing", () => writeReport(transcript, inspected, { name }));
    await saveFile(html, report, { source: given.values.file ?? "-", option: "--html" });
    return inspected;
  });
  if (isJson) {
    output.write(jsonText(inspection));
    return 0;
  }
  const options = { columns: columnsOf(output), style: styleFor(output, process.env) };
  output.write(renderInspection(inspection, name, options));
  if (html !== undefined) output.write(`\nThe page is in ${html}.\n`);
  return 0;
}
