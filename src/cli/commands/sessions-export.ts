import { restoreAllMessages } from "../../core/history/restore.ts";
import type { Message } from "../../core/message/message.ts";
import type { Session } from "../../engine/session/session.ts";
import { saveFile } from "../compact/save-file.ts";
import { TARGET_FORMATS, type TargetFormat, writeView } from "../compact/write-view.ts";
import { findSession, withSessions } from "../sessions/open-sessions.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { type Command, choiceOption, readArguments, wrongUsage } from "../terminal/command-line.ts";
import type { Output } from "../terminal/output.ts";
import { withProgress } from "../terminal/progress.ts";
import { oneLine, safeText } from "../terminal/safe-text.ts";

/** The formats of an export; only `palimpsest` holds the whole session. */
const EXPORT_FORMATS = ["palimpsest", ...TARGET_FORMATS] as const;

const COMMAND: Command = {
  name: "sessions export",
  about: `Writes a stored session to standard output or to a file. In the format palimpsest it is complete, with
folds, events and everything that was rewound, and sessions import brings it back. In other formats, it
has all messages as they were said.`,
  positionals: ["session"],
  options: {
    to: { value: "FORMAT", about: `${EXPORT_FORMATS.join(", ")}\n(default: palimpsest)` },
    view: { about: "write only the view, the messages that would be sent; not with palimpsest" },
    output: { value: "FILE", about: "write to a file instead of standard output" },
    store: STORE_OPTION,
  },
};

export interface ExportOutputs {
  readonly output: Output;
  /** The stream for the result line. */
  readonly notes: Output;
}

/** `palimpsest sessions export <session>`; returns the exit code. */
export async function exportSession(commandArguments: readonly string[], outputs: ExportOutputs): Promise<number> {
  const { output, notes } = outputs;
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const format = choiceOption(COMMAND, given, { name: "to", choices: EXPORT_FORMATS }) ?? "palimpsest";
  const isViewOnly = given.flags.has("view");
  if (isViewOnly && format === "palimpsest") throw wrongUsage(COMMAND, "--view needs another format: add --to FORMAT.");
  const { session: named = "", output: target = "-" } = given.values;
  const { id, content } = await withProgress({ notes, isJson: false }, ({ during }) =>
    during(`exporting ${named}`, () =>
      withSessions(COMMAND, given, {
        use: async (open) => {
          const session = await findSession(open, named);
          return { id: session.id, content: await writeSession(session, { format, isViewOnly }) };
        },
      }),
    ),
  );
  // Control characters are only replaced on a terminal, which would act on them; a file or a program gets every byte.
  if (target === "-") output.write(output.isTTY === true ? safeText(content) : content);
  else {
    await saveFile(target, content, { source: "-" });
    notes.write(`${oneLine(`${JSON.stringify(id)} written to ${target} as ${format}`)}\n`);
  }
  return 0;
}

interface ExportOptions {
  readonly format: "palimpsest" | TargetFormat;
  /** Whether only the view is written, with its summaries and markers. */
  readonly isViewOnly: boolean;
}

/** A session as the content of a file. */
async function writeSession(session: Session, { format, isViewOnly }: ExportOptions): Promise<string> {
  if (format === "palimpsest") return `${JSON.stringify(await session.export())}\n`;
  const messages = isViewOnly ? await session.view() : await wholeLog(session, format);
  const transcript = { format, sessionId: session.id, messages: [], compactions: [], usages: [], problems: [] };
  return writeView(transcript, messages, format).file;
}

/** The messages of a session without folds. Roo knows our tags, so that its format keeps summaries and markers. */
async function wholeLog(session: Session, format: TargetFormat): Promise<readonly Message[]> {
  const log = await session.log();
  return format === "roo" ? log : restoreAllMessages(log);
}
