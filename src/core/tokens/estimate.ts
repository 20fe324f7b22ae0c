import { assert, assertFunction, assertObject } from "../assert.ts";
import type { Content } from "../message/message.ts";
import { countContentTokens } from "./count-content.ts";
import { findMedia } from "./find-media.ts";
import { serialize } from "./serialize.ts";

/**
 * The factor by which compatibility mode multiplies exact counts.
 * @example
 * ```ts
 * import { TOKEN_FUDGE_FACTOR, tiktoken } from "palimpsest/compat";
 * import { countContentTokens } from "palimpsest/core";
 * const text = "How many tokens are these?";
 * console.log(tiktoken(text) === Math.ceil(countContentTokens(text) * TOKEN_FUDGE_FACTOR)); // true
 * ```
 */
export const TOKEN_FUDGE_FACTOR = 1.5;

/** A model handler that may have a counter of its own; `Count` is a number or a promise of one. */
export interface TokenCountingHandler<Count> {
  countTokens?(content: Content): Count;
}

// in hundredths, because sums of the fractions 0.25 and 1.3 drift
const ASCII_HUNDREDTHS = 25;
const NON_ASCII_HUNDREDTHS = 130;
const FIRST_NON_ASCII = "\u0080";

/**
 * Compatibility mode: the exact count times {@link TOKEN_FUDGE_FACTOR}, rounded up.
 * @example
 * ```ts
 * import { tiktoken } from "palimpsest/compat";
 * import { countContentTokens } from "palimpsest/core";
 * console.log(tiktoken("How many tokens are these?"), countContentTokens("How many tokens are these?")); // 9 6
 * ```
 */
export function tiktoken(content: Content): number {
  return Math.ceil(countContentTokens(content) * TOKEN_FUDGE_FACTOR);
}

/**
 * 0 for empty content; else what the handler's own counter returns, or the exact count where it has none.
 * @example
 * ```ts
 * import { estimateTokenCount } from "palimpsest/compat";
 * console.log(estimateTokenCount("four words in all", {})); // 4
 * console.log(estimateTokenCount("four words in all", { countTokens: () => 42 })); // 42
 * ```
 */
export function estimateTokenCount<Count = number>(
  content: Content,
  handler: TokenCountingHandler<Count>,
): Count | number {
  assertObject("handler", handler);
  if (handler.countTokens !== undefined) assertFunction("handler.countTokens", handler.countTokens);
  if (!content?.length) return 0;
  return handler.countTokens ? handler.countTokens(content) : countContentTokens(content);
}

/**
 * Estimates without a tokenizer: 0.25 tokens for an ASCII character, 1.3 for any other, the total rounded down. Parts are measured by
 * their `text` where they have one, else by their JSON. Media, inline or linked, as Gemini, Anthropic, OpenAI, MCP and the AI SDK write them, count
 * by their kind, up to 32 levels deep in a part: 3,000 for a picture, 25,800 for a PDF, 1,920 for sound, 17,700 for film. Deeper ones count as text.
 * @example
 * ```ts
 * import { estimateTokenCountSync } from "palimpsest/core";
 * console.log(estimateTokenCountSync("twelve chars"), estimateTokenCountSync([{ text: "你好世界" }])); // 3 5
 * console.log(estimateTokenCountSync([{ inlineData: { mimeType: "image/png", data: "iVBORw0K" } }])); // 3000
 * ```
 */
export function estimateTokenCountSync(parts: string | readonly unknown[]): number {
  assert(typeof parts === "string" || Array.isArray(parts), "parts", parts, "a string or an array of parts");
  if (typeof parts === "string") return Math.floor(hundredthsOf(parts) / 100);
  let hundredths = 0;
  for (const part of parts) hundredths += partHundredths(part);
  return Math.floor(hundredths / 100);
}

function partHundredths(part: unknown): number {
  if (typeof part === "object" && part !== null && "text" in part && typeof part.text === "string")
    return hundredthsOf(part.text);
  const { tokens, media } = findMedia(part);
  if (typeof part === "object" && part !== null && media.has(part)) return tokens * 100;
  return hundredthsOf(serialize(part, (value) => !media.has(value))) + tokens * 100;
}

function hundredthsOf(text: string): number {
  let hundredths = 0;
  for (const character of text) hundredths += character < FIRST_NON_ASCII ? ASCII_HUNDREDTHS : NON_ASCII_HUNDREDTHS;
  return hundredths;
}
