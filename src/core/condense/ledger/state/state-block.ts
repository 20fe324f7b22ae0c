import type { Message } from "../../../message/message.ts";
import { isConstraint } from "../../../text/constraint-words.ts";
import { countTextTokens } from "../../../tokens/o200k/count-text-tokens.ts";
import { isOurHeading } from "../cut-lines.ts";
import type { LogBlock } from "../log-blocks.ts";
import { type SourceLine, sourceBlocks } from "../source-lines.ts";
import { lastChecks, type Outcome, type Place, unsettledFailures } from "./last-results.ts";
import { planState } from "./plan-state.ts";
import { uncommittedFiles } from "./uncommitted-files.ts";

/** How the work stands, by rules: what a reader looks for first. */
export interface StateBlock {
  /** Empty where the view shows all of it anyway. */
  readonly text: string;
  /** Lines of the log that it quotes: they need not be quoted again. */
  readonly quoted: ReadonlySet<SourceLine>;
}

const NOTHING: StateBlock = { text: "", quoted: new Set() };

/** One line of the block, and the line of the log that it quotes, if it does. */
interface Entry {
  readonly text: string;
  readonly line?: SourceLine;
}

/**
 * The block at the top of a ledger, in no more than the budget: what was asked and what binds, what is done and left, what is not committed,
 * how checks ended, what failed, and what the agent said it would do next. Nothing that can be read in `visible`.
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
  const plan = blocks.findLast(({ source, act }) => source === "call" && act?.kind === "plan");
  if (plan !== undefined && !plan.lines.some(isShown)) yield* planState(plan);
  yield* uncommittedFiles(blocks);
  const ended = (label: string, { command, outcome: { number, line }, alike, firstPlace }: Outcome): Entry => {
    const more = alike === 0 ? "" : ` (${alike} more like this)`;
    const place = firstPlace === undefined || line.text.includes(firstPlace) ? "" : `; first at ${firstPlace}`;
    return { text: `${label} m${number}: ${command} → ${line.text.trim()}${more}${place}`, line };
  };
  for (const [index, check] of lastChecks(blocks).entries()) {
    // The newest is live trouble where it failed: a view may show only parts of it.
    const isLive = index === 0 && check.firstPlace !== undefined;
    if (isLive || !isShown(check.outcome.line)) yield ended("check", check);
  }
  for (const failure of unsettledFailures(blocks)) {
    if (!isShown(failure.outcome.line)) yield ended("unsettled", failure);
  }
  const next = nextStep(blocks, isShown);
  if (next !== undefined) yield* quote("next", next);
}

const MAX_REQUEST_LINES = 2;
const MAX_RULES = 6;
/** People type less; more is pasted, or put in by a program. */
const MAX_TYPED_LINES = 30;

/** How agents begin what tool servers tell about themselves. */
const OF_SERVERS = /^#{1,3} (?:claude\.ai |plugin:|mcp\b)/i;

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

/** What the person said must or must not be done, the newest first: a later word overrides an earlier one. */
function rules(blocks: readonly LogBlock[]): readonly Place[] {
  const found: Place[] = [];
  for (const block of blocks.toReversed()) {
    const { number, lines } = block;
    if (number === undefined || !isTyped(block)) continue;
    for (const line of lines) if (isRule(line)) found.push({ number, line });
    if (found.length >= MAX_RULES) break;
  }
  return found.slice(0, MAX_RULES);
}

/** What is asked or quoted binds nobody. */
function isRule({ text }: SourceLine): boolean {
  const said = text.trim();
  return isConstraint(said) && !said.endsWith("?") && !/^[>"'`|]/.test(said);
}

const NEXT =
  /\b(?:next|now|then|let me|let's|i'll|i will|i need to|going to|remaining|still (?:need|have|to)|to do|todo)\b/i;
const MAX_NEXT_LINES = 8;

/** What the agent said last that it would do; else its last line. Nothing where the view shows that it went about it. */
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
