import { saveFile } from "../compact/save-file.ts";
import { EXPORT_FORMATS, writeSession } from "../sessions/export-session.ts";
import { findSessionId, withSessions } from "../sessions/open-sessions.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { type Command, helpText } from "../terminal/command.ts";
import { choiceOption, parseCommandLine, wrongUsage } from "../terminal/command-line.ts";
import type { Output } from "../terminal/output.ts";
import { oneLine, safeText } from "../terminal/safe-text.ts";

const COMMAND: Command = {
  name: "sessions export",
  about: `Writes a stored session to standard output or to a file. As palimpsest it is whole, with folds, events and what was
rewound, and sessions import brings it back. In other formats all messages are written as they were said.`,
  positionals: ["session"],
  options: {
    to: { value: "FORMAT", about: `${EXPORT_FORMATS.join(", ")}\n(default: palimpsest)` },
    view: { about: "write only the view, which is what would be sent; not with palimpsest" },
    output: { value: "FILE", about: "write to a file instead of standard output" },
    store: STORE_OPTION,
  },
};

export interface ExportOutputs {
  readonly output: Output;
  /** Where the person is told what came of it. */
  readonly notes: Output;
}

/** `palimpsest sessions export <session>`; returns the exit code. */
export async function exportSession(commandArguments: readonly string[], outputs: ExportOutputs): Promise<number> {
  const { output, notes } = outputs;
  const given = parseCommandLine(COMMAND, commandArguments);
  if (given.type === "help") {
    output.write(helpText(COMMAND));
    return 0;
  }
  const format = choiceOption(COMMAND, given, { name: "to", choices: EXPORT_FORMATS }) ?? "palimpsest";
  const isViewOnly = given.flags.has("view");
  if (isViewOnly && format === "palimpsest") throw wrongUsage(COMMAND, "--view needs another format: add --to FORMAT.");
  const { session: named = "", output: target = "-" } = given.values;
  const { id, content } = await withSessions(COMMAND, given, {
    use: async ({ engine, store }) => {
      const session = await engine.session(await findSessionId(store, named));
      return { id: session.id, content: await writeSession(session, { format, isViewOnly }) };
    },
  });
  // A terminal acts on what it is shown; a file or a program gets every byte.
  if (target === "-") output.write(output.isTTY === true ? safeText(content) : content);
  else {
    await saveFile(target, content, { source: "-" });
    notes.write(`${oneLine(`${JSON.stringify(id)} written to ${target} as ${format}`)}\n`);
  }
  return 0;
}
