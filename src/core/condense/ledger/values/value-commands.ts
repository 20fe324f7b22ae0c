import type { ToolUseBlock } from "../../../message/message.ts";
import { describeCall } from "../../../tool-calls/stand-in-call.ts";
import { toolAct } from "../../../tool-calls/tool-act.ts";
import { programsOf } from "../command-programs.ts";
import type { LogBlock } from "../log-blocks.ts";
import type { SourceLine } from "../source-lines.ts";
import type { AddValue } from "./line-values.ts";
import { decay, LINE_WORTH } from "./line-worth.ts";

const NEWEST_ERRORS = 5;
const MAX_ERROR_LINES = 8;
/** Lines that are searched at the beginning and end of an output: programs report errors first or last. */
const ENDS_LINES = 40;
/** Commands this many replies old are worth half. */
const HALF_AGE = 15;

/** Values commands and their outcomes, and the newest unsettled failures of any tool. */
export function valueCommands(blocks: readonly LogBlock[], add: AddValue): void {
  const settled = new Set<string>();
  const failed = new Set<string>();
  let errors = 0;
  for (const block of blocks.toReversed()) {
    const { source, act, call, lines, age } = block;
    if (call === undefined || act === undefined) continue;
    if (source === "call") {
      const [first] = lines;
      if (first === undefined) continue;
      if (failed.has(call.id)) add(first, LINE_WORTH.error);
      else if (act.kind === "run") add(first, LINE_WORTH.command * decay(age, HALF_AGE));
    } else {
      const names = outcomeNames(call);
      const isUnsettled = !names.every((name) => settled.has(name));
      for (const name of names) settled.add(name);
      const errorLines = isUnsettled && errors < NEWEST_ERRORS ? failureLines(block) : [];
      if (errorLines.length > 0) {
        errors += 1;
        failed.add(call.id);
        for (const line of errorLines) add(line, LINE_WORTH.error);
      }
      const last = lines.at(-1);
      if (act.kind === "run" && last !== undefined) add(last, LINE_WORTH.outcome * decay(age, HALF_AGE));
    }
  }
}

const outcomesByCall = new WeakMap<ToolUseBlock, readonly string[]>();

/** What a later call must repeat, all of it, to replace the outcome of this one: the programs of a command, else the same call. */
export function outcomeNames(call: ToolUseBlock): readonly string[] {
  const known = outcomesByCall.get(call);
  if (known !== undefined) return known;
  const { kind, command = "" } = toolAct(call);
  const programs = kind === "run" ? programsOf(command) : [];
  const names = programs.length > 0 ? programs : [describeCall(call)];
  outcomesByCall.set(call, names);
  return names;
}

// `Error: …`, `src/a.ts(3,5): error TS2345: …`, `TypeError: …`, `FAILED tests/a.py::b`; not "0 errors", not prose.
const FAILURE_LINE =
  /^\s{0,20}(?:\S{1,200}[:(]\d[\d:,)]{0,20}[\s:-]{0,4})?(?:error|Error|ERROR|fatal|FATAL|panic|Traceback|FAIL(?:ED)?|✗|×|[A-Za-z.]{1,60}(?:Error|Exception))(?:[:[(]|\s[\w(/])/;

/** The lines of a result that report a failure; none where it succeeded. */
export function failureLines({ isError, act, lines }: LogBlock): readonly SourceLine[] {
  if (isError) return lines.slice(0, MAX_ERROR_LINES);
  // A file may hold texts of errors that did not happen.
  if (act?.kind !== "run" || act.files.some(({ touch }) => touch === "read")) return [];
  const ends = lines.length <= 2 * ENDS_LINES ? lines : [...lines.slice(0, ENDS_LINES), ...lines.slice(-ENDS_LINES)];
  return ends.filter(({ text }) => FAILURE_LINE.test(text)).slice(0, MAX_ERROR_LINES);
}
