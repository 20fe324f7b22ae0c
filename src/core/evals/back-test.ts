import { assert, assertNumber, assertObject } from "../assert.ts";
import { checkMessages } from "../message/check-messages.ts";
import type { Message } from "../message/message.ts";
import { messageTexts } from "../text/message-texts.ts";
import { callStarts } from "./find-boundaries.ts";
import { isIdentifier } from "./identifiers/is-identifier.ts";
import { scanNames } from "./identifiers/scan-names.ts";
import { wordSet } from "./needed/eval-identifiers.ts";
import { findUses } from "./needed/find-needed.ts";

export interface BackTestOptions {
  /** How many of the newest model calls are tested. @default 20 */
  readonly calls?: number;
}

/** How many of the identifiers that the agent really used are named by a text. */
export interface BackTest {
  /** From 0 to 1; 1 where nothing was needed. */
  readonly score: number;
  /** The identifiers from before the newest calls that the agent used in them, without reading them again in between. */
  readonly needed: readonly string[];
  readonly missing: readonly string[];
}

/**
 * Scores a summary, a ledger or any other text on past turns: the share of the identifiers that the agent had to remember in its newest
 * calls and that the text names. Needs no model and no knowledge of the future, so that two ways to condense can be compared
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

/** The identifiers from before the newest calls that the agent used in them, without reading them again in between. */
export function usedAgain(messages: readonly Message[], calls: number): readonly string[] {
  const starts = callStarts(messages);
  const index = starts[Math.max(0, starts.length - Math.floor(calls))] ?? 0;
  const boundary = { index, horizonEnd: messages.length, tokens: 0 };
  const uses = findUses(messages, boundary, NONE).map(({ value }) => value);
  const named = namedBefore(messages.slice(0, index), uses);
  return uses.filter((value) => named.has(value));
}

/** Scores a text by the share of the needed identifiers that it names. */
export function scoreText(text: string, needed: readonly string[]): BackTest {
  const shown = wordSet([text]);
  const missing = needed.filter((value) => !shown.has(value));
  return { score: needed.length === 0 ? 1 : 1 - missing.length / needed.length, needed, missing };
}

const NONE: ReadonlySet<string> = new Set();

/**
 * The identifiers that occur in the messages. Searches for these only and caches nothing: a validator must cost less time and memory than the
 * summary that it judges.
 */
function namedBefore(messages: readonly Message[], identifiers: readonly string[]): ReadonlySet<string> {
  const named = new Set<string>();
  const left = new Set(identifiers);
  for (const text of messageTexts(messages)) {
    if (left.size === 0) break;
    for (const name of scanNames(text)) {
      if (left.has(name.value) && isIdentifier(name)) {
        named.add(name.value);
        left.delete(name.value);
      }
    }
  }
  return named;
}
