import type { LogBlock } from "./log-blocks.ts";

/** How many of the agent's last texts count: further back, it speaks of finished work. */
const LAST_TEXTS = 6;

/** The names and words of the work at hand. */
export interface SpokenOf {
  /** Identifiers in the agent's last texts, in the plan and in the newest request. */
  readonly named: ReadonlySet<string>;
  /** Identifiers in the person's first and newest request. */
  readonly asked: ReadonlySet<string>;
  /** All words of these texts, and the parts of their names, in lower case. */
  readonly words: ReadonlySet<string>;
}

export function spokenOf(blocks: readonly LogBlock[]): SpokenOf {
  const texts = blocks.filter(({ source }) => source === "assistant").slice(-LAST_TEXTS);
  const plan = blocks.findLast(({ source, act }) => source === "call" && act?.kind === "plan");
  const first = blocks.find(({ source }) => source === "user");
  const request = blocks.findLast(({ source }) => source === "user");
  return {
    named: namesIn([...texts, plan, request]),
    asked: namesIn([first, request]),
    words: wordsIn([...texts, plan, first, request]),
  };
}

function namesIn(blocks: readonly (LogBlock | undefined)[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const block of blocks) {
    for (const { identifiers } of block?.lines ?? []) for (const identifier of identifiers) names.add(identifier);
  }
  return names;
}

function wordsIn(blocks: readonly (LogBlock | undefined)[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const block of blocks)
    for (const { text } of block?.lines ?? []) for (const word of wordsOf(text)) words.add(word);
  return words;
}

const CAMEL_CASE = /([a-z0-9])([A-Z])/g;
/** Shorter words occur in any name. */
const WORD = /[a-z]{3,}/g;

function wordsOf(text: string): readonly string[] {
  return text.replace(CAMEL_CASE, "$1 $2").toLowerCase().match(WORD) ?? [];
}

// Cached, as a session has the same names again and again.
const knownWords = new Map<string, readonly string[]>();
const MOST_KNOWN = 50_000;

/** The share of a name's words that are among `words`: half of `openStore` where somebody speaks of a "store". */
export function spokenShare(name: string, words: ReadonlySet<string>): number {
  let parts = knownWords.get(name);
  if (parts === undefined) {
    if (knownWords.size >= MOST_KNOWN) knownWords.clear();
    parts = wordsOf(name);
    knownWords.set(name, parts);
  }
  let spoken = 0;
  for (const part of parts) if (words.has(part)) spoken += 1;
  return parts.length === 0 ? 0 : spoken / parts.length;
}
