import { assert, assertObject } from "../assert.ts";
import { type ModelFailure, readFailureTexts } from "./failure-texts.ts";
import { BYTE_WORDINGS, OTHER_LIMITS, TOKEN_WORDINGS, TOO_LONG_CODES } from "./too-long-wordings.ts";

/** The numbers of tokens that a server names. */
interface NamedTokens {
  readonly prompt?: number;
  readonly reply?: number;
  readonly limit?: number;
}

const NUMBER = "\\d+(?:[,._'’\\u00a0\\u202f ]\\d{3}(?!\\d))*(?:\\.\\d+)?(?:\\s?[kKmM]\\b)?";
const PLACEHOLDERS = /\\\{(prompt|more|reply|limit)\\\}/g;

/** Compiles a wording into a function that finds its numbers in a text; undefined where the text does not have the wording. */
function wordingReader(wording: string): (text: string) => NamedTokens | undefined {
  const source = wording
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replaceAll("'", "['’]")
    .replaceAll("…", "[^]{0,300}?")
    .replaceAll(" ", "\\s+")
    .replace(PLACEHOLDERS, (_, name: string) => `(?<${name}>${NUMBER})`);
  const pattern = new RegExp(source, "i");
  return (text) => {
    const match = pattern.exec(text);
    return match === null ? undefined : namedTokens(match.groups ?? {});
  };
}

function namedTokens({ prompt, more, reply, limit }: Readonly<Record<string, string | undefined>>): NamedTokens {
  return {
    ...(prompt !== undefined && { prompt: readNumber(prompt) + (more === undefined ? 0 : readNumber(more)) }),
    ...(reply !== undefined && { reply: readNumber(reply) }),
    ...(limit !== undefined && { limit: readNumber(limit) }),
  };
}

const UNITS: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };

function readNumber(text: string): number {
  const unit = UNITS[text.slice(-1).toLowerCase()];
  // Separators separate thousands, except before "k" and "M", where a point is a decimal point.
  const digits = unit === undefined ? text.replace(/\D/g, "") : text.replace(/[^\d.]/g, "");
  return Math.round(Number(digits) * (unit ?? 1));
}

/** Whether a shorter prompt would have been accepted. */
export type TooLong =
  | {
      readonly isTooLong: false;
      /** The window, where the reply's allowance alone exceeds it, so that no prompt would be short enough. */
      readonly windowTokens?: number;
    }
  | {
      readonly isTooLong: true;
      readonly by: "tokens" | "bytes";
      /** The prompt as the server counted it, where it says so. */
      readonly promptTokens?: number;
      /** The longest prompt that the server accepts, where it says so. */
      readonly limitTokens?: number;
    };

const NOT_TOO_LONG: TooLong = { isTooLong: false };

/**
 * Recognises "prompt too long" in the words and codes of all servers that we know, and learns the limit where it is named.
 * @example
 * ```ts
 * import { readTooLong } from "palimpsest/agent";
 * const found = readTooLong({ status: 400, message: "prompt is too long: 208310 tokens > 200000 maximum" });
 * console.log(found.isTooLong && found.limitTokens); // 200000
 * ```
 */
export function readTooLong(failure: ModelFailure): TooLong {
  assertObject("failure", failure);
  const { message, code = "" } = failure;
  assert(typeof message === "string", "failure.message", message, "a string");
  assert(typeof code === "string", "failure.code", code, "a string");
  const said = readFailureTexts(failure);
  const named = readTokens(said.texts);
  const prompt = named?.prompt ?? said.prompt;
  const limit = named?.limit ?? said.limit;
  if (isOtherLimit(failure.status, said.texts) && !exceedsMinute(said.texts, named)) return NOT_TOO_LONG;
  if (limit !== undefined && (named?.reply ?? 0) >= limit) return { isTooLong: false, windowTokens: limit };
  const by = named === undefined ? withoutTokenWording(failure.status, said.texts) : "tokens";
  if (by === undefined) return NOT_TOO_LONG;
  if (by === "bytes") return { isTooLong: true, by };
  return {
    isTooLong: true,
    by,
    ...(prompt !== undefined && { promptTokens: prompt }),
    ...(limit !== undefined && { limitTokens: limit }),
  };
}

const TOKEN_READERS = /* @__PURE__ */ TOKEN_WORDINGS.map(wordingReader);
const BYTE_READERS = /* @__PURE__ */ BYTE_WORDINGS.map(wordingReader);
const CODE = /* @__PURE__ */ new RegExp(`\\b(?:${Object.keys(TOO_LONG_CODES).join("|")})\\b`);

function readTokens(texts: readonly string[]): NamedTokens | undefined {
  let named: NamedTokens | undefined;
  for (const read of TOKEN_READERS) {
    for (const text of texts) {
      const numbers = read(text);
      if (numbers !== undefined) named = { ...numbers, ...named };
    }
  }
  return named;
}

function isOtherLimit(status: number | undefined, texts: readonly string[]): boolean {
  const isByStatus = status === 401 || status === 402 || status === 403 || status === 429;
  return isByStatus || texts.some((text) => OTHER_LIMITS.test(text));
}

/** Whether one request is larger than the rate limit of a whole minute: servers refuse it as a matter of rates, yet waiting does not help. */
function exceedsMinute(texts: readonly string[], { prompt = 0, limit = Number.POSITIVE_INFINITY }: NamedTokens = {}) {
  return prompt > limit && texts.some((text) => /request too large for/i.test(text));
}

/** Why a request is too long, by wordings about bytes, codes and status alone; undefined where nothing says that it is. */
function withoutTokenWording(status: number | undefined, texts: readonly string[]): "tokens" | "bytes" | undefined {
  if (texts.some(saysBytes)) return "bytes";
  for (const text of texts) {
    const [code] = CODE.exec(text) ?? [];
    if (code !== undefined) return TOO_LONG_CODES[code];
  }
  return status === 413 ? "bytes" : undefined;
}

/** Lower limits are those of names and ids. */
const SHORTEST_BYTE_LIMIT = 100_000;

function saysBytes(text: string): boolean {
  return BYTE_READERS.some((read) => {
    const named = read(text);
    return named !== undefined && (named.limit ?? SHORTEST_BYTE_LIMIT) >= SHORTEST_BYTE_LIMIT;
  });
}
