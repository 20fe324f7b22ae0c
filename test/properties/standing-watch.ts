/** Knows what binds the agent at each step of a conversation, and holds views against it. */
import { countTextTokens } from "../../src/core/tokens/o200k/count-text-tokens.ts";
import { STANDING_SHARE } from "../../src/core/truncate/clip-standing.ts";
import type { Bound, Pointer, Step } from "./standing-talks.ts";

export interface WatchOptions {
  /** What system prompt, tools, reply and reserve leave of the window, in our tokens. */
  readonly roomTokens: number;
  /** Whether what is said beside results is a message of its own, as on the wires of OpenAI. */
  readonly spreadsResults: boolean;
}

export interface SeenView {
  /** As JSON. */
  readonly text: string;
  /** What one recall gives: all that the folds named in the view hide. */
  recalled(): Promise<string>;
}

/** How much was checked, so that a test can see that it tested something. */
export interface StandingTally {
  views: number;
  folded: number;
  /** Parts that were held against views in which something is folded. */
  boundParts: number;
  /** Views in which what binds was more than its share. */
  overShare: number;
  pointers: number;
  resolvedPointers: number;
}

export function newTally(): StandingTally {
  return { views: 0, folded: 0, boundParts: 0, overShare: 0, pointers: 0, resolvedPointers: 0 };
}

/** What a block costs besides its words: its element, its path, what is left of the call that it came with. */
const BLOCK_TOKENS = 180;
/** What is pointed to is shown whole where it takes no more of the room. */
const POINTED_SHARE = 0.2;

export type StandingWatch = ReturnType<typeof createStandingWatch>;

export function createStandingWatch({ roomTokens, spreadsResults }: WatchOptions, tally: StandingTally) {
  const bound = new Map<string, Bound>();
  /** What bound when there was more of it than its share: clipped then, and from then on. */
  const excused = new Set<Bound>();
  const pointers: Pointer[] = [];
  let resultLines: readonly string[] = [];

  function take(step: Step): void {
    for (const key of step.ends) bound.delete(key);
    for (const part of step.binds) {
      const isRequest = part.key === "beside" && spreadsResults;
      bound.set(isRequest ? "request" : part.key, part);
    }
    if (step.pointer !== undefined) pointers.push(step.pointer);
    const isSpread =
      spreadsResults && step.spoken.some((spoken) => spoken.type === "works" && spoken.said !== undefined);
    resultLines = isSpread ? [] : step.resultLines;
  }

  function boundTokens(): number {
    return [...bound.values()].reduce((sum, { lines }) => sum + countTextTokens(lines.join("\n")) + BLOCK_TOKENS, 0);
  }

  /** Holds the next view against what binds after this step. */
  async function check(step: Step, view: SeenView, isFolded: boolean): Promise<readonly string[]> {
    take(step);
    tally.views += 1;
    if (isFolded) tally.folded += 1;
    const isOver = boundTokens() > STANDING_SHARE * roomTokens;
    if (isOver) {
      tally.overShare += 1;
      for (const part of bound.values()) excused.add(part);
    }
    const demanded = [...bound].filter(([key, part]) => key === "request" || !excused.has(part));
    if (isFolded) tally.boundParts += demanded.length;
    const lost = demanded.flatMap(([key, { lines }]) => missing(view, lines).map((line) => `${key}: ${line}`));
    const breaches = lost.map((line) => `standing: the view does not show ${line}`);
    if (!isOver) breaches.push(...newestResults(step, view));
    return [...breaches, ...(await pointerBreaches(view))];
  }

  /** Results that leave room for what binds are whole. */
  function newestResults({ spoken }: Step, view: SeenView): readonly string[] {
    const calls = spoken.flatMap((said) => (said.type === "works" ? said.calls : []));
    const texts = calls.map(({ output }) => (typeof output === "string" ? output : ""));
    const tokens = texts.reduce((sum, text) => sum + countTextTokens(text) + BLOCK_TOKENS, 0);
    if (tokens + boundTokens() > 0.6 * roomTokens) return [];
    return missing(view, resultLines).map((line) => `results: the view does not show ${line}`);
  }

  async function pointerBreaches(view: SeenView): Promise<readonly string[]> {
    const breaches: string[] = [];
    const seen = pointers.filter(({ text }) => view.text.includes(JSON.stringify(text)));
    const newest = new Map(pointers.map((pointer) => [pointer.path, pointer]));
    for (const pointer of seen) {
      tally.pointers += 1;
      const hidden = missing(view, pointer.lines);
      if (hidden.length === 0) continue;
      if (newest.get(pointer.path) === pointer && pointer.targetTokens <= POINTED_SHARE * roomTokens) {
        breaches.push(`pointer: ${pointer.text} leads to ${hidden[0]}, which the view does not show`);
      }
      const recalled = await view.recalled();
      if (hidden.some((line) => !recalled.includes(line))) {
        breaches.push(`pointer: ${pointer.text} leads to ${hidden[0]}, which no fold that the view names holds`);
      }
    }
    tally.resolvedPointers += pointers.length - seen.length;
    return breaches;
  }

  return { check };
}

function missing({ text }: SeenView, lines: readonly string[]): readonly string[] {
  return lines.filter((line) => !text.includes(line));
}
