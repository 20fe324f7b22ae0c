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
  const line = result?.lines.at(-1);
  if (result?.number === undefined || line === undefined) return undefined;
  const [command = ""] = (result.act?.command ?? "").trim().split("\n");
  return { command: command.slice(0, MAX_COMMAND_CHARACTERS), outcome: { number: result.number, line } };
}

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
    const [line] = failureLines(block);
    if (line !== undefined) found.push({ number, line });
    if (found.length >= MAX_FAILURES) break;
  }
  return found;
}
