import type { Message } from "../../../message/message.ts";
import { isConstraint } from "../../../text/constraint-words.ts";
import { countTextTokens } from "../../../tokens/o200k/count-text-tokens.ts";
import { isOurHeading } from "../cut-lines.ts";
import { failedCalls } from "../failed-calls.ts";
import { namedFiles } from "../list-files.ts";
import type { LogBlock } from "../log-blocks.ts";
import { type SourceLine, sourceBlocks } from "../source-lines.ts";
import { lastChecks, type Outcome, type Place, unsettledFailures } from "./last-results.ts";
import { planState } from "./plan-state.ts";

/** The state of the work, found by rules: what a reader looks for first. */
export interface StateBlock {
  /** Empty where there is nothing to say that the view does not show. */
  readonly text: string;
  /** Lines of the log that the text quotes, so that the ledger need not quote them again. */
  readonly quoted: ReadonlySet<SourceLine>;
}

const NOTHING: StateBlock = { text: "", quoted: new Set() };

/** One line of the block, and the line of the log that it quotes, if any. */
interface Entry {
  readonly text: string;
  readonly line?: SourceLine;
}

/**
 * The block at the top of a ledger, within the budget: the newest request and rules, what is done and left, uncommitted files, how checks
 * ended, unsettled failures, and what the agent said it would do next. Leaves out what can be read in `visible`.
 */
export function stateBlock(blocks: readonly LogBlock[], visible: readonly Message[], budgetTokens: number): StateBlock {
  const shown = new Set<string>();
  for (const { lines } of visible.flatMap((message) => sourceBlocks(message)))
    for (const { key } of lines) shown.add(key);
  const texts: string[] = [];
  const quoted = new Set<SourceLine>();
  let left = budgetTokens - countTextTokens(`${STATE_HEADING}\n`);
  for (const { text, line } of entries(blocks, shown)) {
    if ((line !== undefined && quoted.has(line)) || isOurHeading(text)) continue;
    const tokens = countTextTokens(`${text}\n`);
    if (tokens > left) continue;
    left -= tokens;
    texts.push(text);
    if (line !== undefined) quoted.add(line);
  }
  return texts.length === 0 ? NOTHING : { text: [STATE_HEADING, ...texts].join("\n"), quoted };
}

const STATE_HEADING = "[state]";

function* entries(blocks: readonly LogBlock[], shown: ReadonlySet<string>): Generator<Entry> {
  const isShown = ({ key }: SourceLine) => shown.has(key);
  const quote = (label: string, { number, line }: Place): Entry[] =>
    isShown(line) ? [] : [{ text: `${label} m${number}: ${line.text.trim()}`, line }];
  for (const place of newestRequest(blocks, isShown)) yield* quote("asked", place);
  for (const place of rules(blocks)) yield* quote("rule", place);
  // A summary may carry a call that an earlier message made: that one has a number.
  const plan = blocks.findLast(
    ({ source, act, number }) => source === "call" && act?.kind === "plan" && number !== undefined,
  );
  if (plan !== undefined && !plan.lines.some(isShown)) yield* planState(plan);
  yield* uncommittedFiles(blocks);
  const ended = (label: string, { command, outcome: { number, line }, alike, firstPlace }: Outcome): Entry => {
    const more = alike === 0 ? "" : ` (${alike} more like this)`;
    const place = firstPlace === undefined || line.text.includes(firstPlace) ? "" : `; first at ${firstPlace}`;
    return { text: `${label} m${number}: ${command} → ${line.text.trim()}${more}${place}`, line };
  };
  for (const [index, check] of lastChecks(blocks).entries()) {
    // A failure of the newest check is always quoted: a view may show only parts of it.
    const isNewestFailure = index === 0 && check.firstPlace !== undefined;
    if (isNewestFailure || !isShown(check.outcome.line)) yield ended("check", check);
  }
  for (const failure of unsettledFailures(blocks)) {
    if (!isShown(failure.outcome.line)) yield ended("unsettled", failure);
  }
  const next = nextStep(blocks, isShown);
  if (next !== undefined) yield* quote("next", next);
}

const MAX_REQUEST_LINES = 2;
const MAX_RULES = 6;
/** People type fewer lines; a longer text is pasted, or written by a program. */
const MAX_TYPED_LINES = 30;

/** Headings above what tool servers say about themselves. */
const OF_SERVERS = /^#{1,3} (?:claude\.ai |plugin:|mcp\b)/i;

/** Whether a person typed a text. */
function isTyped({ source, number, lines }: LogBlock): boolean {
  const first = lines[0]?.text ?? "<";
  const isPutIn = first.startsWith("<") || OF_SERVERS.test(first);
  return source === "user" && number !== undefined && lines.length <= MAX_TYPED_LINES && !isPutIn;
}

function newestRequest(blocks: readonly LogBlock[], isShown: (line: SourceLine) => boolean): readonly Place[] {
  const newest = blocks.findLast(isTyped);
  if (newest?.number === undefined || newest.lines.some(isShown)) return [];
  const { number, lines } = newest;
  return lines.slice(0, MAX_REQUEST_LINES).map((line) => ({ number, line }));
}

/** Lines in which the person said what must or must not be done, the newest first, as later ones override earlier ones. */
function rules(blocks: readonly LogBlock[]): readonly Place[] {
  const places: Place[] = [];
  for (const block of blocks.toReversed()) {
    const { number, lines } = block;
    if (number === undefined || !isTyped(block)) continue;
    for (const line of lines) if (isRule(line)) places.push({ number, line });
    if (places.length >= MAX_RULES) break;
  }
  return places.slice(0, MAX_RULES);
}

/** Whether a line states a constraint; questions and quotes do not. */
function isRule({ text }: SourceLine): boolean {
  const said = text.trim();
  return isConstraint(said) && !said.endsWith("?") && !/^[>"'`|]/.test(said);
}

const NEXT =
  /\b(?:next|now|then|let me|let's|i'll|i will|i need to|going to|remaining|still (?:need|have|to)|to do|todo)\b/i;
const MAX_NEXT_LINES = 8;

/** The last line in which the agent said what it would do, or else its last line; undefined where the view shows that it has begun. */
function nextStep(blocks: readonly LogBlock[], isShown: (line: SourceLine) => boolean): Place | undefined {
  const at = blocks.findLastIndex(
    ({ source, number, lines }) => source === "assistant" && number !== undefined && lines.length > 0,
  );
  const last = blocks[at];
  if (last?.number === undefined) return undefined;
  const later = blocks.slice(at + 1);
  const answered = new Set(later.flatMap(({ source, call }) => (source === "result" ? call : [])));
  const isBegun = ({ source, call, lines }: LogBlock) => source === "call" && answered.has(call) && lines.some(isShown);
  if (later.some(isBegun)) return undefined;
  const lines = last.lines.slice(-MAX_NEXT_LINES);
  const line = lines.findLast(({ text }) => NEXT.test(text)) ?? lines.at(-1);
  return line === undefined ? undefined : { number: last.number, line };
}

const COMMIT = /\bgit\b[^|;&\n]{0,200}\bcommit\b/;
/** Output of git where nothing was committed. */
const NO_COMMIT = /nothing (?:added )?to commit|no changes added|Aborting commit|^error:|^fatal:/m;
/** Folders whose files nobody commits. */
const TEMPORARY = /^(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev)\//;
const MAX_FILES = 12;

/** A line with the files that were changed since the last commit that the log shows; none where the log shows no commit. */
function uncommittedFiles(blocks: readonly LogBlock[]): readonly { readonly text: string }[] {
  let committed: number | undefined;
  let changed = new Set<string>();
  const failed = failedCalls(blocks);
  for (const { source, act, call, isError, number, lines } of blocks) {
    if (act === undefined || number === undefined) continue;
    if (source === "call") {
      if (call !== undefined && failed.has(call.id)) continue;
      for (const { path, touch } of namedFiles(act)) if (touch !== "read" && !TEMPORARY.test(path)) changed.add(path);
    } else if (source === "result" && !isError && COMMIT.test(act.command ?? "")) {
      if (lines.some(({ text }) => NO_COMMIT.test(text))) continue;
      committed = number;
      changed = new Set();
    }
  }
  if (committed === undefined) return [];
  const files = [...changed];
  const named = files.slice(-MAX_FILES).join(", ");
  const more = files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : "";
  const since = files.length === 0 ? "nothing changed since" : `not committed since: ${named}${more}`;
  return [{ text: `last commit m${committed}; ${since}` }];
}
