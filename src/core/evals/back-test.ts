import { assert, assertNumber, assertObject } from "../assert.ts";
import { mentionsIn } from "../condense/ledger/identifier-weights.ts";
import { checkMessages } from "../message/check-messages.ts";
import type { Message } from "../message/message.ts";
import { callStarts } from "./find-boundaries.ts";
import { wordSet } from "./needed/eval-identifiers.ts";
import { findUses } from "./needed/find-needed.ts";

export interface BackTestOptions {
  /** How many of the newest model calls are looked back on. @default 20 */
  readonly calls?: number;
}

/** How much of what the agent really used a text would have shown it. */
export interface BackTest {
  /** From 0 to 1; 1 where nothing was needed. */
  readonly score: number;
  /** Identifiers that came up before the newest calls and that the agent used in them without being told again. */
  readonly needed: readonly string[];
  readonly missing: readonly string[];
}

/**
 * Scores a summary, a ledger or any other text on turns already seen: of all that the agent had to remember in its newest calls,
 * how much does the text name? Without a model and without knowing the future, so two ways to condense can be compared
 * before one of them is chosen.
 * @example
 * ```ts
 * import { backTest } from "palimpsest/evals";
 * const call = (path: string) => ({ role: "assistant", content: [{ type: "tool_use", id: path, name: "read_file", input: { path } }] }) as const;
 * const log = [{ role: "user", content: "Look at src/auth/token.ts." } as const, call("src/auth/token.ts")];
 * console.log(backTest(log, "Work is going on in src/auth/token.ts.", { calls: 1 }).score); // 1
 * ```
 */
export function backTest(messages: readonly Message[], text: string, options: BackTestOptions = {}): BackTest {
  checkMessages(messages);
  assert(typeof text === "string", "text", text, "a string");
  assertObject("options", options);
  const { calls = 20 } = options;
  assertNumber("options.calls", calls, 1);
  return scoreText(text, usedAgain(messages, calls));
}

/** Identifiers that came up before the newest calls and that the agent used in them without being told again. */
export function usedAgain(messages: readonly Message[], calls: number): readonly string[] {
  const starts = callStarts(messages);
  const index = starts[Math.max(0, starts.length - Math.floor(calls))] ?? 0;
  const boundary = { index, horizonEnd: messages.length, tokens: 0 };
  return findUses(messages, boundary, { common: NONE, seen: namedBefore(messages, index) }).map(({ value }) => value);
}

/** How much of what was needed a text names. */
export function scoreText(text: string, needed: readonly string[]): BackTest {
  const shown = wordSet([text]);
  const missing = needed.filter((value) => !shown.has(value));
  return { score: needed.length === 0 ? 1 : 1 - missing.length / needed.length, needed, missing };
}

const NONE: ReadonlySet<string> = new Set();

/** As a ledger reads them, which a session has mostly done already: a validator must not cost more than the summary that it judges. */
function namedBefore(messages: readonly Message[], end: number): ReadonlySet<string> {
  const named = new Set<string>();
  for (const message of messages.slice(0, end)) {
    for (const identifier of mentionsIn(message).keys()) named.add(identifier);
  }
  return named;
}
