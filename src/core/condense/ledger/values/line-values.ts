import { isConstraint } from "../../../text/constraint-words.ts";
import { editOdds } from "../edit-odds.ts";
import type { LedgerWeights } from "../ledger-weights.ts";
import type { LogBlock } from "../log-blocks.ts";
import type { SourceLine } from "../source-lines.ts";
import type { SpokenOf } from "../spoken-of.ts";
import { decay } from "./decay.ts";
import { LINE_WORTH } from "./line-worth.ts";
import { valueCommands } from "./value-commands.ts";

export type AddValue = (line: SourceLine, value: number) => void;

export interface LineValuesOptions {
  /** What all identifiers of the log are worth together. */
  readonly identifiersWorth: number;
  readonly spoken: SpokenOf;
  readonly weights: LedgerWeights;
}

/** What lines are worth for what they are; lines without an entry are worth only what they name. */
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
 * Code that the next edits may replace: an edit must repeat it word for word. What all of it is worth together is shared out by the odds
 * of each line, so that a log that showed much code leaves no less room for names.
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

/** The plan as it was stated last, and the newest changes of single steps. */
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

/** Where words say how things stand: the agent's last ones, its decisions, and what a model summarised. */
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

/** People type less; more is pasted, or put in by a program. */
const MAX_TYPED_TOKENS = 300;
/** Of pasted texts, the beginning and the end tell what they are there for. */
const FIRST_LINES = 6;
const LAST_LINES = 3;
/** Requests this many replies old are worth half: most of them are done. */
const HALF_AGE = 30;

/** What the user said: the goal and what binds for good, requests while they are young, and of pasted texts what matters. */
function valueRequests(blocks: readonly LogBlock[], add: AddValue): void {
  const said = blocks.filter(({ source, number }) => source === "user" && number !== undefined);
  const goal = said.find((block) => isTyped(block)) ?? said[0];
  for (const block of said) {
    const { lines, age } = block;
    const isMeant = isTyped(block);
    for (const [index, line] of lines.entries()) {
      const isEnd = index < FIRST_LINES || index >= lines.length - LAST_LINES;
      if (block === goal && (isMeant || isEnd)) add(line, LINE_WORTH.goal);
      else if (isMeant) add(line, LINE_WORTH.request * decay(age, HALF_AGE));
      else if (isEnd && block.message === said[0]?.message) add(line, LINE_WORTH.request);
      if (binds(line)) add(line, isMeant ? LINE_WORTH.constraint : LINE_WORTH.pastedConstraint);
    }
  }
}

const TAG = /^<[A-Za-z]/;

/** Programs put their texts between tags. */
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
