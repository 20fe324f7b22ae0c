import type { Transcript } from "../../core/transcript/transcript.ts";
import { type CompactedView, compactLog, STRATEGIES } from "../compact/compact-log.ts";
import { saveFile } from "../compact/save-file.ts";
import { TARGET_FORMATS, type TargetFormat, writeView } from "../compact/write-view.ts";
import { CommandError } from "../terminal/command-error.ts";
import { type Command, choiceOption, countOption, readArguments, wrongUsage } from "../terminal/command-line.ts";
import { countOf, formatCount } from "../terminal/numbers.ts";
import { jsonText, type Output } from "../terminal/output.ts";
import { withProgress } from "../terminal/progress.ts";
import { FROM_OPTION, nameOfFile, readSessionFile } from "../terminal/read-session-file.ts";
import { safeText } from "../terminal/safe-text.ts";

const [DEFAULT_STRATEGY] = STRATEGIES;

const COMMAND: Command = {
  name: "compact",
  about: `Folds a session until it fits a budget, and prints the view: the messages that would be sent. No model
is asked, and the file is never changed. The budget is for the messages; a system prompt comes on top.
<file> is a session file of any known agent; - is standard input.`,
  positionals: ["file"],
  options: {
    budget: { value: "TOKENS", about: "the largest view, such as 8000 or 8k", isRequired: true },
    strategy: { value: "NAME", about: `how to fold: ${STRATEGIES.join(", ")} (default: ${DEFAULT_STRATEGY})` },
    to: { value: "FORMAT", about: `write ${TARGET_FORMATS.join(", ")}\n(default: readable text)` },
    output: { value: "FILE", about: "write to a file instead of standard output" },
    json: {
      about:
        "print { budgetTokens, tokens, folds, messages, text } for machines;\nwith --to, messages are in that format",
    },
    from: FROM_OPTION,
  },
};

export interface CompactOutputs {
  /** The stream for the view. @default process.stdout */
  readonly output?: Output;
  /** The stream for the result line. @default process.stderr */
  readonly notes?: Output;
}

/** `palimpsest compact <file> --budget N`; returns the exit code. */
export async function compact(commandArguments: readonly string[], outputs: CompactOutputs = {}): Promise<number> {
  const { output = process.stdout, notes = process.stderr } = outputs;
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const { file = "", output: target = "-" } = given.values;
  const path = target === "-" ? undefined : target;
  const budgetTokens = countOption(COMMAND, given, "budget");
  if (budgetTokens === undefined) {
    throw wrongUsage(COMMAND, "--budget is missing: say how many tokens the view may take, such as --budget 8k.");
  }
  const strategy = choiceOption(COMMAND, given, { name: "strategy", choices: STRATEGIES }) ?? DEFAULT_STRATEGY;
  const format = choiceOption(COMMAND, given, { name: "to", choices: TARGET_FORMATS });
  const isJson = given.flags.has("json");
  const { transcript, outcome } = await withProgress({ notes, isJson }, async ({ during }) => {
    const read = await during(`reading ${nameOfFile(file)}`, () => readSessionFile(COMMAND, given));
    const folded = await during("folding", () => compactLog(read.messages, { budgetTokens, strategy }));
    return { transcript: read, outcome: folded };
  });
  if (outcome.type === "cannot-fit") {
    const { enoughTokens } = outcome;
    const what = `${nameOfFile(file)}: ${strategy} cannot bring it under ${countOf(budgetTokens, "token")}.`;
    throw new CommandError(1, `${what} Pass --budget ${enoughTokens} or more.`);
  }
  const content = contentOf(transcript, outcome.view, { format, isJson });
  // Control characters are only replaced on a terminal, which would act on them; a file or a program gets every byte.
  if (path === undefined) output.write(output.isTTY === true ? safeText(content) : content);
  else await saveFile(path, content, { source: file });
  if (!isJson || path !== undefined) notes.write(`${resultLine(transcript, outcome.view, path)}\n`);
  return 0;
}

interface ContentOptions {
  readonly format: TargetFormat | undefined;
  readonly isJson: boolean;
}

function contentOf(transcript: Transcript, view: CompactedView, { format, isJson }: ContentOptions): string {
  const written = format === undefined ? undefined : writeView(transcript, view.messages, format);
  if (isJson) return jsonText({ ...view, messages: written?.messages ?? view.messages });
  return written?.file ?? `${view.text}\n`;
}

function resultLine({ messages }: Transcript, view: CompactedView, path: string | undefined): string {
  const { tokens, budgetTokens, folds } = view;
  const hidden = folds.reduce((sum, fold) => sum + fold.messages, 0);
  const parts = [
    `${formatCount(tokens)} of ${countOf(budgetTokens, "token")}`,
    folds.length === 0 ? "nothing had to be folded" : `${countOf(folds.length, "fold")}: ${kindsOf(folds)}`,
    ...(hidden === 0 ? [] : [`${formatCount(hidden)} of ${countOf(messages.length, "message")} hidden`]),
    ...(path === undefined ? [] : [`written to ${path}`]),
  ];
  return parts.join(" · ");
}

function kindsOf(folds: CompactedView["folds"]): string {
  return [...new Set(folds.map(({ kind }) => kind))].join(", ");
}
