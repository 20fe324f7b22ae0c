import type { Message } from "../../message/message.ts";
import { countTextTokens } from "../../tokens/o200k/count-text-tokens.ts";
import { messageParts } from "../view/message-parts.ts";

/** The newest lines that fit, under the headings of their parts; of a line that is too long for the rest, its end. */
export function tailText(messages: readonly Message[], budgetTokens: number): string {
  const lines: string[] = [];
  let left = budgetTokens;
  for (const line of newestLines(messages)) {
    const tokens = countTextTokens(`${line}\n`);
    if (tokens > left) {
      const end = clipToTokens(line, left - 1, "end");
      if (end !== "") lines.push(end);
      break;
    }
    left -= tokens;
    lines.push(line);
  }
  return lines.reverse().join("\n");
}

function* newestLines(messages: readonly Message[]): Generator<string> {
  for (const message of messages.toReversed()) {
    for (const { heading, lines } of messageParts(message).toReversed()) {
      yield* lines.toReversed();
      yield heading;
    }
  }
}

// Few texts have longer tokens on average; where they do, the first guess doubles.
const FIRST_GUESS_CHARACTERS_PER_TOKEN = 6;

/** The beginning or the end of a text, as much of it as fits. */
export function clipToTokens(text: string, budgetTokens: number, part: "beginning" | "end"): string {
  if (budgetTokens < 1) return "";
  const cut = (length: number) => (part === "end" ? text.slice(text.length - length) : text.slice(0, length));
  const fits = (length: number) => countTextTokens(cut(length)) <= budgetTokens;
  let low = 0;
  let high = Math.min(text.length, Math.ceil(budgetTokens * FIRST_GUESS_CHARACTERS_PER_TOKEN));
  while (fits(high)) {
    if (high === text.length) return text;
    low = high;
    high = Math.min(text.length, high * 2);
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return cut(low);
}
