import { describeCall } from "../../../tool-calls/stand-in-call.ts";
import { programsOf } from "../command-programs.ts";
import { failedCalls } from "../failed-calls.ts";
import { fileName } from "../file-states.ts";
import type { LogBlock } from "../log-blocks.ts";
import { shapeOf } from "../repeated-lines.ts";
import type { SourceLine } from "../source-lines.ts";
import { failureLines, outcomeNames } from "../values/value-commands.ts";

/** A line of the log and the number of its message. */
export interface Place {
  readonly number: number;
  readonly line: SourceLine;
}

/** What tests, builds or checks, by the words of its name: `jest`, `test:ci`, `go test`, `run-tests.sh`. */
const CHECK =
  /(?:^|[\s:._-])(?:tests?|pytest|jest|vitest|mocha|rspec|phpunit|tsc|mypy|pyright|lint|eslint|biome|ruff|build|compile|check|cargo|make|gradle|gradlew|mvn|ctest|tox|playwright|cypress)(?=$|[\s:._-])/;
/** They speak of tests in messages, names of branches and titles, and run none. */
const NO_CHECK = /^(?:git|gh|ls|cat|rg|find|sed|awk|mkdir|cp|mv|rm|touch|code|curl|diff|open|less|bat|nl|stat|chmod) ?/;
const MAX_COMMAND_CHARACTERS = 100;
const MAX_CHECKS = 2;

/** A command, and the line in which it ended. */
export interface Outcome {
  /** The first line of the command; of another call, its tool and what it was called with. */
  readonly command: string;
  readonly outcome: Place;
  /** Lines of the same shape beside it. */
  readonly alike: number;
  /** Of a check that failed: the first place in a file that it names, as it names it. */
  readonly firstPlace?: string | undefined;
}

/** The newest commands that test, build or check, each program once, and how they ended; the newest first. */
export function lastChecks(blocks: readonly LogBlock[]): readonly Outcome[] {
  const known = new Set<string>();
  const found: Outcome[] = [];
  for (const block of blocks.toReversed()) {
    const { source, act, lines, number } = block;
    if (source !== "result" || act?.kind !== "run" || number === undefined) continue;
    const command = act.command ?? "";
    const checks = checksIn(command);
    const line = checks.length === 0 ? undefined : verdictOf(lines);
    if (line === undefined || checks.every((check) => known.has(check))) continue;
    for (const check of checks) known.add(check);
    const firstPlace = hasFailed(block) ? firstPlaceIn(lines) : undefined;
    found.push({ command: firstLine(command), outcome: { number, line }, alike: alikeIn(lines, line), firstPlace });
    if (found.length >= MAX_CHECKS) break;
  }
  return found;
}

/** The shell's own `test`, which asks whether a file is there. */
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

/** What a command runs, in its own words. */
function firstLine(command: string): string {
  const [whole = ""] = command.trim().split("\n");
  const line = whole.replace(CHANGES_FOLDER, "");
  return line.length <= MAX_COMMAND_CHARACTERS ? line : `${line.slice(0, MAX_COMMAND_CHARACTERS)}…`;
}

/** How a program says what came of it: `12 passed, 1 failed`, `FAIL`, `0 errors`, `found 3 issues`, `exit code 1`. */
const VERDICT =
  /\b(?:pass(?:ed|es)?|fail(?:ed|s|ure|ures)?|errors?|problems?|issues?|warnings?|succe(?:ss|ssful|eded)|exit(?:ed)? (?:code|status)|ok)\b|[✓✔✗✘×]/i;
/** Of these the last one counts whatever is said after it: one part failed, and others did not. */
const FAILS = /\bFAIL(?:ED)?\b|\b[1-9]\d{0,8} (?:tests? )?(?:failed|failures?|failing|errors?|problems?)\b/;
const VERDICT_LINES = 30;

/** The last line that says how a check ended; where none does, its last line. */
function verdictOf(lines: readonly SourceLine[]): SourceLine | undefined {
  const last = lines.slice(-VERDICT_LINES);
  return (
    last.findLast(({ text }) => FAILS.test(text)) ?? last.findLast(({ text }) => VERDICT.test(text)) ?? lines.at(-1)
  );
}

/** Commands that show what is there: errors that they print are those of others. */
const SHOWS =
  /^(?:cd \S{1,200} && )?(?:rg|grep|ag|ack|cat|bat|sed|awk|head|tail|nl|less|ls|find|tree|git (?:grep|diff|log|show|blame))\b/;
/** Says that it failed, and not what. */
const ONLY_CODE = /^(?:exit code|exited with|process exited|command failed)/i;

const MAX_FAILURES = 2;
/** What failed further back is hardly open. */
const MAX_RESULTS = 60;

/**
 * What the newest calls said that failed, and that nothing settled since: no call of the same programs, or of the same file; and of a check, no
 * edits of all files that it complained of with a check after them that passed.
 */
export function unsettledFailures(blocks: readonly LogBlock[]): readonly Outcome[] {
  const settled = new Set<string>();
  const mended = new Set<string>();
  const failed = failedCalls(blocks);
  const found: Outcome[] = [];
  let hasPassed = false;
  let results = 0;
  for (const block of blocks.toReversed()) {
    const { source, call, act, number } = block;
    if (source !== "result" || call === undefined || number === undefined) continue;
    if (results++ >= MAX_RESULTS) break;
    const names = settlingNames(block);
    const isSettled = names.filter(isMeant(names)).every((name) => settled.has(name));
    for (const name of names) settled.add(name);
    const isCheck = checksIn(act?.command ?? "").length > 0;
    const said = failureLines(block);
    if (isCheck && !hasFailed(block)) hasPassed = true;
    if (hasPassed && !failed.has(call.id))
      for (const { path, touch } of act?.files ?? []) if (touch !== "read") mended.add(fileName(path));
    if (isSettled || (!block.isError && SHOWS.test((act?.command ?? "").trim()))) continue;
    const line = said.find(({ text }) => !ONLY_CODE.test(text.trim())) ?? said[0];
    if (line === undefined || (isCheck && isMended(block, mended))) continue;
    const command = act?.command === undefined ? describeCall(call) : firstLine(act.command);
    found.push({ command, outcome: { number, line }, alike: alikeIn(block.lines, line) });
    if (found.length >= MAX_FAILURES) break;
  }
  return found;
}

/** They make room for the program that a command is for. */
const HOUSEKEEPING = /^(?:rm|mkdir|cp|mv|ls|cat|touch|chmod|test|git (?:add|status|fetch|branch|log|diff))$/;
/** Each of these leaves another state of the files behind, whatever the one before it failed to do. */
const MOVES_TREE = /^git (?:switch|checkout|pull|merge|rebase|reset|restore|cherry-pick|stash)$/;

/** What calls settle, and what later ones must do again to settle them: the programs of a command, or the use of the same file. */
function settlingNames({ call, act }: LogBlock): readonly string[] {
  if (call === undefined) return [];
  const [file, ...others] = act?.command === undefined ? (act?.files ?? []) : [];
  if (file !== undefined && others.length === 0) return [`file ${fileName(file.path)}`];
  return outcomeNames(call).map((name) => (MOVES_TREE.test(name) ? "git tree" : name));
}

/** Where a command is for other programs as well, those that make room for them need not be run again. */
function isMeant(names: readonly string[]): (name: string) => boolean {
  const isAll = names.every((name) => HOUSEKEEPING.test(name));
  return (name) => isAll || !HOUSEKEEPING.test(name);
}

/** Whether all files that a check complained of were edited. */
function isMended({ lines }: LogBlock, mended: ReadonlySet<string>): boolean {
  const files = new Set<string>();
  for (const line of lines) {
    const place = firstPlaceIn([line]);
    if (place !== undefined) files.add(fileName(place.split(/[:(]/, 1)[0] ?? ""));
  }
  return files.size > 0 && [...files].every((file) => mended.has(file));
}
