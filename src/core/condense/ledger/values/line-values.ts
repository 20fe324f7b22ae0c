import { isConstraint } from "../../../text/constraint-words.ts";
import { editOdds } from "../edit-odds.ts";
import type { LedgerWeights } from "../ledger-weights.ts";
import type { LogBlock } from "../log-blocks.ts";
import type { SourceLine } from "../source-lines.ts";
import type { SpokenOf } from "../spoken-of.ts";
import { decay, LINE_WORTH } from "./line-worth.ts";
import { valueCommands } from "./value-commands.ts";

export type AddValue = (line: SourceLine, value: number) => void;

export interface LineValuesOptions {
  /** The worth of all identifiers of the log together. */
  readonly identifiersWorth: number;
  readonly spoken: SpokenOf;
  readonly weights: LedgerWeights;
}

/** The worth of lines by their kind; a line without an entry is worth only its identifiers. */
export function lineValues(blocks: readonly LogBlock[], options: LineValuesOptions): ReadonlyMap<SourceLine, number> {
  const values = new Map<SourceLine, number>();
  const add: AddValue = (line, value) => {
    values.set(line, (values.get(line) ?? 0) + value);
  };
  valueRequests(blocks, add);
  valuePlans(blocks, add);
  valueCommands(blocks, add);
  valueWords(blocks, add);
  valueCode(blocks, add, options);
  return values;
}

/**
 * Values code that the next edits may replace, as an edit must repeat it word for word. A fixed worth is shared out by the odds of each
 * line, so that a log with much code leaves as much room for names.
 */
function valueCode(blocks: readonly LogBlock[], add: AddValue, options: LineValuesOptions): void {
  const lines = editOdds(blocks, options);
  const { identifiersWorth } = options;
  let total = 0;
  for (const { odds } of lines) total += odds;
  for (const { line, odds } of lines) add(line, (LINE_WORTH.code * identifiersWorth * odds) / total);
}

/** A plan of more lines is a document. */
const MAX_PLAN_LINES = 60;
const NEWEST_STEPS = 12;

/** Values the newest plan, and the newest changes of single steps. */
function valuePlans(blocks: readonly LogBlock[], add: AddValue): void {
  const calls = blocks.filter(({ source }) => source === "call");
  const plan = calls.findLast(({ act }) => act?.kind === "plan");
  for (const line of plan?.lines.slice(0, MAX_PLAN_LINES) ?? []) add(line, LINE_WORTH.plan);
  for (const { lines } of calls.filter(({ act }) => act?.kind === "plan-step").slice(-NEWEST_STEPS)) {
    for (const line of lines) add(line, LINE_WORTH.planStep);
  }
}

const LAST_TEXTS = 3;
const MAX_LAST_LINES = 12;

const DECISION =
  /\b(?:decided?|decision|chose|chosen|instead of|rather than|root cause|because|turns out|the (?:fix|problem|issue|bug|cause) (?:is|was)|will use|going with|agreed|must not|confirmed|found (?:it|that|the))\b/i;

/** Values texts that describe the state of the work: the agent's last texts, its decisions, and summaries of a model. */
function valueWords(blocks: readonly LogBlock[], add: AddValue): void {
  let texts = 0;
  for (const { source, number, lines } of blocks.toReversed()) {
    if (number === undefined) for (const line of lines) add(line, LINE_WORTH.summary);
    if (source !== "assistant" || number === undefined) continue;
    if (texts < LAST_TEXTS) for (const line of lines.slice(-MAX_LAST_LINES)) add(line, LINE_WORTH.lastWords);
    texts += 1;
    for (const line of lines) if (decides(line)) add(line, LINE_WORTH.decision);
  }
}

const decidingLines = new WeakMap<SourceLine, boolean>();

function decides(line: SourceLine): boolean {
  const known = decidingLines.get(line) ?? DECISION.test(line.text);
  decidingLines.set(line, known);
  return known;
}

/** People type less than this; a longer text is pasted, or written by a program. */
const MAX_TYPED_TOKENS = 300;
/** Lines at the beginning and the end of a pasted text: they say what it is for. */
const FIRST_LINES = 6;
const LAST_LINES = 3;
/** Requests this many replies old are worth half, as most of them are done. */
const HALF_AGE = 30;

/** Values the user's texts: the goal, lines that bind, requests while they are recent, and the ends of pasted texts. */
function valueRequests(blocks: readonly LogBlock[], add: AddValue): void {
  const said = blocks.filter(({ source, number }) => source === "user" && number !== undefined);
  const goal = said.find((block) => isTyped(block)) ?? said[0];
  for (const block of said) {
    const { lines, age } = block;
    const isTypedBlock = isTyped(block);
    for (const [index, line] of lines.entries()) {
      const isEnd = index < FIRST_LINES || index >= lines.length - LAST_LINES;
      if (block === goal && (isTypedBlock || isEnd)) add(line, LINE_WORTH.goal);
      else if (isTypedBlock) add(line, LINE_WORTH.request * decay(age, HALF_AGE));
      else if (isEnd && block.message === said[0]?.message) add(line, LINE_WORTH.request);
      if (binds(line)) add(line, isTypedBlock ? LINE_WORTH.constraint : LINE_WORTH.pastedConstraint);
    }
  }
}

const TAG = /^<[A-Za-z]/;

/** Whether a person typed a text: it is short, and does not begin with a tag, as texts of programs do. */
function isTyped({ lines }: LogBlock): boolean {
  if (TAG.test(lines[0]?.text ?? "")) return false;
  let tokens = 0;
  for (const line of lines) tokens += line.tokens;
  return tokens <= MAX_TYPED_TOKENS;
}

const bindingLines = new WeakMap<SourceLine, boolean>();

function binds(line: SourceLine): boolean {
  const known = bindingLines.get(line) ?? isConstraint(line.text);
  bindingLines.set(line, known);
  return known;
}
