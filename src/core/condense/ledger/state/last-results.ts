import { describeCall } from "../../../tool-calls/stand-in-call.ts";
import { programsOf } from "../command-programs.ts";
import { failedCalls } from "../failed-calls.ts";
import { fileName } from "../file-states.ts";
import type { LogBlock } from "../log-blocks.ts";
import { shapeOf } from "../repeated-lines.ts";
import type { SourceLine } from "../source-lines.ts";
import { failureLines, outcomeNames } from "../values/value-commands.ts";

/** A line of the log, and the number of its message. */
export interface Place {
  readonly number: number;
  readonly line: SourceLine;
}

/** Names of programs that test, build or check: `jest`, `test:ci`, `go test`, `run-tests.sh`. */
const CHECK =
  /(?:^|[\s:._-])(?:tests?|pytest|jest|vitest|mocha|rspec|phpunit|tsc|mypy|pyright|lint|eslint|biome|ruff|build|compile|check|cargo|make|gradle|gradlew|mvn|ctest|tox|playwright|cypress)(?=$|[\s:._-])/;
/** Programs that may name tests in their arguments, but run none. */
const NO_CHECK = /^(?:git|gh|ls|cat|rg|find|sed|awk|mkdir|cp|mv|rm|touch|code|curl|diff|open|less|bat|nl|stat|chmod) ?/;
const MAX_COMMAND_CHARACTERS = 100;
const MAX_CHECKS = 2;

/** A command, and the line of its output that says how it ended. */
export interface Outcome {
  /** The first line of the command; for another call, its tool and main argument. */
  readonly command: string;
  readonly outcome: Place;
  /** How many other lines of the output have the same shape. */
  readonly alike: number;
  /** The first place in a file that the output of a failed check names. */
  readonly firstPlace?: string | undefined;
}

/** The newest commands that test, build or check, and their outcomes; each program once, the newest first. */
export function lastChecks(blocks: readonly LogBlock[]): readonly Outcome[] {
  const knownChecks = new Set<string>();
  const outcomes: Outcome[] = [];
  for (const block of blocks.toReversed()) {
    const { source, act, lines, number } = block;
    if (source !== "result" || act?.kind !== "run" || number === undefined) continue;
    const command = act.command ?? "";
    const checks = checksIn(command);
    const line = checks.length === 0 ? undefined : verdictOf(lines);
    if (line === undefined || checks.every((check) => knownChecks.has(check))) continue;
    for (const check of checks) knownChecks.add(check);
    const firstPlace = hasFailed(block) ? firstPlaceIn(lines) : undefined;
    outcomes.push({ command: firstLine(command), outcome: { number, line }, alike: alikeIn(lines, line), firstPlace });
    if (outcomes.length >= MAX_CHECKS) break;
  }
  return outcomes;
}

/** The shell's own `test`, which asks whether a file exists. */
const ASKS_FOR_FILE = /(?:^|[;&|(]\s{0,9}|\bif\s{1,9})test\s{1,9}(?:!\s{1,9})?-\w\s/;

/** The programs of a command that test, build or check. */
function checksIn(command: string): readonly string[] {
  const asks = ASKS_FOR_FILE.test(command);
  return programsOf(command).filter(
    (program) => !NO_CHECK.test(program) && CHECK.test(program) && !(asks && program === "test"),
  );
}

function hasFailed(block: LogBlock): boolean {
  return (
    block.isError ||
    failureLines(block).length > 0 ||
    block.lines.slice(-VERDICT_LINES).some(({ text }) => FAILS.test(text))
  );
}

/** `src/a.ts:3:5`, `src/a.ts(3,5)`, `a_test.go:12`. */
const PLACE =
  /(?<![\w./:@~-])((?:[\w@~-][\w.@~/-]{0,200}|[./][\w.@~/-]{1,200})\.[A-Za-z]\w{0,7}(?::\d{1,7}(?::\d{1,5})?|\(\d{1,7}(?:,\d{1,5})?\)))/;

function firstPlaceIn(lines: readonly SourceLine[]): string | undefined {
  for (const { text } of lines) {
    const place = text.includes("node_modules") ? undefined : PLACE.exec(text)?.[1];
    if (place !== undefined) return place;
  }
  return undefined;
}

function alikeIn(lines: readonly SourceLine[], { text }: SourceLine): number {
  const shape = shapeOf(text);
  return lines.filter((line) => shapeOf(line.text) === shape).length - 1;
}

const CHANGES_FOLDER = /^cd \S{1,200} && /;

/** The first line of a command, shortened, without the folder that it changes to. */
function firstLine(command: string): string {
  const [whole = ""] = command.trim().split("\n");
  const line = whole.replace(CHANGES_FOLDER, "");
  return line.length <= MAX_COMMAND_CHARACTERS ? line : `${line.slice(0, MAX_COMMAND_CHARACTERS)}…`;
}

/** Words by which a program reports its outcome: `12 passed, 1 failed`, `FAIL`, `0 errors`, `found 3 issues`, `exit code 1`. */
const VERDICT =
  /\b(?:pass(?:ed|es)?|fail(?:ed|s|ure|ures)?|errors?|problems?|issues?|warnings?|succe(?:ss|ssful|eded)|exit(?:ed)? (?:code|status)|ok)\b|[✓✔✗✘×]/i;
/** Reports of a failure. The last one counts even if others follow, as one part may fail and others pass. */
const FAILS = /\bFAIL(?:ED)?\b|\b[1-9]\d{0,8} (?:tests? )?(?:failed|failures?|failing|errors?|problems?)\b/;
const VERDICT_LINES = 30;

/** The line that says how a check ended; where none does, its last line. */
function verdictOf(lines: readonly SourceLine[]): SourceLine | undefined {
  const last = lines.slice(-VERDICT_LINES);
  return (
    last.findLast(({ text }) => FAILS.test(text)) ?? last.findLast(({ text }) => VERDICT.test(text)) ?? lines.at(-1)
  );
}

/** Commands that show files or search them: errors in their output are not their own. */
const SHOWS =
  /^(?:cd \S{1,200} && )?(?:rg|grep|ag|ack|cat|bat|sed|awk|head|tail|nl|less|ls|find|tree|git (?:grep|diff|log|show|blame))\b/;
/** Lines that report a failure without its cause. */
const ONLY_CODE = /^(?:exit code|exited with|process exited|command failed)/i;

const MAX_FAILURES = 2;
/** How many results back failures are looked for: older ones are hardly open. */
const MAX_RESULTS = 60;

/**
 * The newest failed calls that nothing settled since. A failure is settled by a later call of the same programs, or with the same file; that of a
 * check also by edits of all files that it named, with a passing check after them.
 */
export function unsettledFailures(blocks: readonly LogBlock[]): readonly Outcome[] {
  const settled = new Set<string>();
  const mended = new Set<string>();
  const failed = failedCalls(blocks);
  const unsettled: Outcome[] = [];
  let hasPassed = false;
  let results = 0;
  for (const block of blocks.toReversed()) {
    const { source, call, act, number } = block;
    if (source !== "result" || call === undefined || number === undefined) continue;
    if (results++ >= MAX_RESULTS) break;
    const names = settlingNames(block);
    const isSettled = names.filter(isMainName(names)).every((name) => settled.has(name));
    for (const name of names) settled.add(name);
    const isCheck = checksIn(act?.command ?? "").length > 0;
    const errorLines = failureLines(block);
    if (isCheck && !hasFailed(block)) hasPassed = true;
    if (hasPassed && !failed.has(call.id))
      for (const { path, touch } of act?.files ?? []) if (touch !== "read") mended.add(fileName(path));
    if (isSettled || (!block.isError && SHOWS.test((act?.command ?? "").trim()))) continue;
    const line = errorLines.find(({ text }) => !ONLY_CODE.test(text.trim())) ?? errorLines[0];
    if (line === undefined || (isCheck && isMended(block, mended))) continue;
    const command = act?.command === undefined ? describeCall(call) : firstLine(act.command);
    unsettled.push({ command, outcome: { number, line }, alike: alikeIn(block.lines, line) });
    if (unsettled.length >= MAX_FAILURES) break;
  }
  return unsettled;
}

/** Programs that prepare for another one, which the command is run for. */
const HOUSEKEEPING = /^(?:rm|mkdir|cp|mv|ls|cat|touch|chmod|test|git (?:add|status|fetch|branch|log|diff))$/;
/** Git commands that change the working tree: a later one settles the failure of any other. */
const MOVES_TREE = /^git (?:switch|checkout|pull|merge|rebase|reset|restore|cherry-pick|stash)$/;

/** Names that a call settles, and that a later call must have to settle it: the programs of a command, or the one file of another call. */
function settlingNames({ call, act }: LogBlock): readonly string[] {
  if (call === undefined) return [];
  const [file, ...others] = act?.command === undefined ? (act?.files ?? []) : [];
  if (file !== undefined && others.length === 0) return [`file ${fileName(file.path)}`];
  return outcomeNames(call).map((name) => (MOVES_TREE.test(name) ? "git tree" : name));
}

/** Selects the names that must be settled: not those of housekeeping programs, where a command runs others as well. */
function isMainName(names: readonly string[]): (name: string) => boolean {
  const isAll = names.every((name) => HOUSEKEEPING.test(name));
  return (name) => isAll || !HOUSEKEEPING.test(name);
}

/** Whether all files that a check named were edited since. */
function isMended({ lines }: LogBlock, mended: ReadonlySet<string>): boolean {
  const files = new Set<string>();
  for (const line of lines) {
    const place = firstPlaceIn([line]);
    if (place !== undefined) files.add(fileName(place.split(/[:(]/, 1)[0] ?? ""));
  }
  return files.size > 0 && [...files].every((file) => mended.has(file));
}
