import type { Message, ToolResultBlock, ToolUseBlock } from "../../message/message.ts";
import { detectPairs, type ToolPair } from "../../message/tool-pairs.ts";
import { contentTexts } from "../../text/message-texts.ts";
import { describeCall } from "../../tool-calls/stand-in-call.ts";
import { isReadingTool } from "../../truncate/dedupe-key.ts";

const NEWEST_ERRORS = 3;
const MAX_ERROR_LINES = 20;
const MAX_LINE_CHARACTERS = 400;
/** Programs report errors at the beginning or the end of their output. */
const HEAD_CHARACTERS = 2_000;
const TAIL_CHARACTERS = 4_000;

/**
 * The newest unresolved failures: for each, the call that failed, then the lines of its error. A failure is resolved when the same tool
 * succeeds later with the same main argument, or fails again: then the newer failure counts.
 */
export function* unresolvedErrorTexts(hidden: readonly Message[], kept: readonly Message[]): Generator<string> {
  const resolved = new Set<string>();
  for (const { call, outcome } of outcomes(kept)) if (outcome.type !== "unknown") resolved.add(describeCall(call));
  let errors = 0;
  for (const { call, outcome } of outcomes(hidden).toReversed()) {
    const name = describeCall(call);
    if (outcome.type === "unknown" || resolved.has(name)) continue;
    resolved.add(name);
    if (outcome.type === "success") continue;
    yield name;
    yield* outcome.lines;
    errors++;
    if (errors === NEWEST_ERRORS) return;
  }
}

interface CallOutcome {
  readonly call: ToolUseBlock;
  readonly outcome: Outcome;
}

type Outcome =
  | { readonly type: "success" }
  | { readonly type: "failure"; readonly lines: readonly string[] }
  /** The call has no result. */
  | { readonly type: "unknown" };

function outcomes(messages: readonly Message[]): readonly CallOutcome[] {
  return detectPairs(messages).map((pair) => ({ call: pair.call.block, outcome: outcomeOf(pair) }));
}

function outcomeOf({ call, result }: ToolPair): Outcome {
  if (result === undefined) return { type: "unknown" };
  const { block } = result;
  if (block.is_error === true) return { type: "failure", lines: firstAndLastLines(block) };
  // A file that was read may contain error messages without any failure.
  if (isReadingTool(call.block.name)) return { type: "success" };
  const lines = firstAndLastLines(block).filter((line) => FAILURE_LINE.test(line));
  return lines.length === 0 ? { type: "success" } : { type: "failure", lines };
}

// `Error: …`, `src/a.ts(3,5): error TS2345: …`, `TypeError: …`, `panic: …`; not "0 errors", not prose about errors.
const FAILURE_LINE =
  /^\s{0,20}(?:\S{1,200}[:(]\d[\d:,)]{0,20}[\s:-]{0,4})?(?:error|Error|ERROR|fatal|FATAL|panic|Traceback|[A-Za-z.]{1,60}(?:Error|Exception))(?:[:[(]|\s[A-Z(])/;

function firstAndLastLines(result: ToolResultBlock): readonly string[] {
  const lines: string[] = [];
  for (const text of contentTexts(result.content)) {
    const isLong = text.length > HEAD_CHARACTERS + TAIL_CHARACTERS;
    const ends = isLong ? `${text.slice(0, HEAD_CHARACTERS)}\n${text.slice(-TAIL_CHARACTERS)}` : text;
    for (const line of ends.split("\n")) {
      if (line.trim() !== "") lines.push(line.slice(0, MAX_LINE_CHARACTERS));
    }
  }
  if (lines.length <= 2 * MAX_ERROR_LINES) return lines;
  return [...lines.slice(0, MAX_ERROR_LINES), ...lines.slice(-MAX_ERROR_LINES)];
}
