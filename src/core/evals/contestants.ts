import { countTextTokens } from "../tokens/o200k/count-text-tokens.ts";
import type { EvalCase } from "./eval-case.ts";
import type { EvalStrategy, View } from "./eval-types.ts";
import { scanNames } from "./identifiers/scan-names.ts";
import { MIN_CONTEXT_CHARACTERS, type Questions } from "./measures/measure-view.ts";
import { isBare } from "./measures/source-lines.ts";

/** A participant of a run: a strategy, or one of the two references. */
export interface Contestant {
  readonly name: string;
  /** Absent for references, for which successive compactions have no meaning. */
  readonly strategy?: EvalStrategy;
  view(evalCase: EvalCase, budgetTokens: number): View | typeof WHOLE_LOG;
}

export const WHOLE_LOG = Symbol("whole log");

const ORACLE: Contestant = {
  name: "oracle",
  view: ({ questions }, budgetTokens) => oracleView(questions, budgetTokens),
};

/** The whole log. It must show every needed identifier, or the run is invalid. */
export const EVERYTHING: Contestant = { name: "everything", view: () => WHOLE_LOG };

/** The ends of the scale, which are no strategies: the oracle knows the future, the whole log ignores the budget. */
export const REFERENCES: readonly Contestant[] = [ORACLE, EVERYTHING];

/** The strategies, then the oracle and the whole log. */
export function createContestants(strategies: readonly EvalStrategy[]): readonly Contestant[] {
  const competing = strategies.map((strategy): Contestant => {
    const { name } = strategy;
    return { name, strategy, view: ({ log }, budgetTokens) => strategy.compact(log, budgetTokens) };
  });
  return [...competing, ...REFERENCES];
}

interface Candidate {
  readonly line: string;
  readonly tokens: number;
  /** The needed identifiers that the line shows in context. */
  readonly values: readonly string[];
}

/** How many lines with the same identifier are compared: the cheapest of so many is cheap enough. */
const MAX_LINES_PER_IDENTIFIER = 100;

/**
 * Nearly the best view that is possible with knowledge of the future: source lines, chosen greedily by the needed identifiers that
 * each adds per token, then lines of later edits.
 */
export function oracleView(questions: Questions, budgetTokens: number): string {
  const chosen: string[] = [];
  let left = budgetTokens;
  const take = (line: string, tokens: number): boolean => {
    if (tokens > left) return false;
    left -= tokens;
    chosen.push(line);
    return true;
  };
  cover(candidatesOf(questions), take);
  for (const line of questions.editLines) take(line, countTextTokens(`${line}\n`));
  return chosen.join("\n");
}

function cover(candidates: readonly Candidate[], take: (line: string, tokens: number) => boolean): void {
  const covered = new Set<string>();
  const worth = ({ values, tokens }: Candidate) => values.filter((value) => !covered.has(value)).length / tokens;
  const waiting = candidates.map((candidate) => ({ candidate, bound: worth(candidate) }));
  waiting.sort((one, other) => other.bound - one.bound);
  while (waiting.length > 0) {
    // A line's worth never grows, so that the first line whose worth has not changed is the best.
    const best = waiting.shift();
    if (best === undefined || best.bound === 0) return;
    const current = worth(best.candidate);
    if (current < best.bound) {
      const place = waiting.findIndex(({ bound }) => bound <= current);
      if (current > 0) waiting.splice(place < 0 ? waiting.length : place, 0, { ...best, bound: current });
    } else if (take(best.candidate.line, best.candidate.tokens)) {
      for (const value of best.candidate.values) covered.add(value);
    }
  }
}

const cachedCandidates = new WeakMap<Questions, readonly Candidate[]>();

/** The candidates, cached because they are the same for all budgets. */
function candidatesOf(questions: Questions): readonly Candidate[] {
  const candidates = cachedCandidates.get(questions) ?? findCandidates(questions);
  cachedCandidates.set(questions, candidates);
  return candidates;
}

function findCandidates({ source, identifiers }: Questions): readonly Candidate[] {
  const candidates = new Map<string, Candidate>();
  for (const [value, lines] of source.linesWith) {
    for (const line of lines.slice(-MAX_LINES_PER_IDENTIFIER)) {
      const text = excerpt(line, value);
      if (candidates.has(text)) continue;
      const values = carriedValues(text, text === line, identifiers);
      if (values.length > 0) candidates.set(text, { line: text, tokens: countTextTokens(`${text}\n`), values });
    }
  }
  return [...candidates.values()];
}

/** The line, or of a long one the shortest piece that counts as context, extended to whole words. */
function excerpt(line: string, value: string): string {
  const at = line.indexOf(value);
  if (at < 0 || line.length <= value.length + 2 * MIN_CONTEXT_CHARACTERS) return line;
  let start = Math.max(0, at - MIN_CONTEXT_CHARACTERS);
  let end = Math.min(line.length, at + value.length + MIN_CONTEXT_CHARACTERS);
  while (start > 0 && WORD_CHARACTER.test(line.charAt(start - 1))) start--;
  while (end < line.length && WORD_CHARACTER.test(line.charAt(end))) end++;
  return line.slice(start, end);
}

const WORD_CHARACTER = /[^\s"'`,;()[\]{}<>|]/;

/** The needed identifiers that a line or a piece shows in context. A piece may show others besides the one for which it was cut. */
function carriedValues(text: string, isWhole: boolean, identifiers: ReadonlySet<string>): readonly string[] {
  const values = new Set<string>();
  for (const { value } of scanNames(text)) {
    if (!identifiers.has(value) || isBare(text, value)) continue;
    if (isWhole || text.length >= value.length + MIN_CONTEXT_CHARACTERS) values.add(value);
  }
  return [...values];
}
