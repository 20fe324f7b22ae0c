import { describeCall } from "../../../tool-calls/stand-in-call.ts";
import type { LogBlock } from "../log-blocks.ts";
import type { SourceLine } from "../source-lines.ts";
import { failureLines } from "../values/value-commands.ts";

/** A line of the log and the number of its message. */
export interface Place {
  readonly number: number;
  readonly line: SourceLine;
}

const CHECK =
  /\b(?:tests?|pytest|jest|vitest|mocha|rspec|phpunit|tsc|mypy|pyright|lint|eslint|biome|ruff|build|compile|cargo|make|gradle|mvn|ctest|tox)\b/;
const MAX_COMMAND_CHARACTERS = 100;

export interface Check {
  /** The first line of the command. */
  readonly command: string;
  /** The line in which it ended. */
  readonly outcome: Place;
}

/** The last command that tests, builds or checks, and how it ended. */
export function lastCheck(blocks: readonly LogBlock[]): Check | undefined {
  const result = blocks.findLast(
    ({ source, act, lines }) =>
      source === "result" && act?.kind === "run" && lines.length > 0 && CHECK.test(act.command ?? ""),
  );
  const line = result && verdictOf(result.lines);
  if (result?.number === undefined || line === undefined) return undefined;
  const [command = ""] = (result.act?.command ?? "").trim().split("\n");
  return { command: command.slice(0, MAX_COMMAND_CHARACTERS), outcome: { number: result.number, line } };
}

/** How a program says what came of it: `12 passed, 1 failed`, `FAIL`, `0 errors`, `found 3 issues`, `exit code 1`. */
const VERDICT =
  /\b(?:pass(?:ed|es)?|fail(?:ed|s|ure|ures)?|errors?|problems?|issues?|warnings?|succe(?:ss|ssful|eded)|exit(?:ed)? (?:code|status)|ok)\b|[✓✔✗✘×]/i;
const VERDICT_LINES = 30;

/** The last line that says how a check ended; where none does, its last line. */
function verdictOf(lines: readonly SourceLine[]): SourceLine | undefined {
  return lines.slice(-VERDICT_LINES).findLast(({ text }) => VERDICT.test(text)) ?? lines.at(-1);
}

/** Commands that show what is there: errors that they print are those of others. */
const SHOWS =
  /^(?:cd \S{1,200} && )?(?:rg|grep|ag|ack|cat|bat|sed|awk|head|tail|nl|less|ls|find|tree|git (?:grep|diff|log|show|blame))\b/;

const MAX_FAILURES = 2;
/** What failed further back is hardly open. */
const MAX_RESULTS = 60;

/** What the newest calls said that failed, and did not succeed when they were made again. */
export function unsettledFailures(blocks: readonly LogBlock[]): readonly Place[] {
  const settled = new Set<string>();
  const found: Place[] = [];
  for (const block of blocks.toReversed()) {
    const { source, call, number } = block;
    if (source !== "result" || call === undefined || number === undefined) continue;
    const name = describeCall(call);
    if (settled.has(name)) continue;
    if (settled.size >= MAX_RESULTS) break;
    settled.add(name);
    const isOfOthers = !block.isError && SHOWS.test((block.act?.command ?? "").trim());
    const [line] = isOfOthers ? [] : failureLines(block);
    if (line !== undefined) found.push({ number, line });
    if (found.length >= MAX_FAILURES) break;
  }
  return found;
}
