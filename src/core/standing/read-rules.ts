import { isConstraint } from "../text/constraint-words.ts";
import { outsideOf } from "./injected-text.ts";
import type { FoundPart, TextSpan } from "./standing-part.ts";

/** A longer text is pasted: only the lines of it that are rules bind. */
const MAX_TYPED_CHARACTERS = 1_200;
const MAX_RULE_CHARACTERS = 1_000;
const MOST_RULE_LINES = 20;

/** The rules in a person's text: the whole text where it was typed, the lines that are rules where it was pasted. */
export function rulesIn(text: string, spans: readonly TextSpan[], blockIndex: number): readonly FoundPart[] {
  const isTyped = outsideOf(text, spans).length <= MAX_TYPED_CHARACTERS;
  const lines = linesOf(text)
    .filter(({ start, end }) => !spans.some((span) => start < span.end && end > span.start))
    .filter(({ start, end }) => isRule(text.slice(start, end)))
    .slice(0, MOST_RULE_LINES);
  const rule = { kind: "rule", blockIndex, effect: "binds" } as const;
  if (isTyped && lines.length > 0) return [{ ...rule, key: `rule:${text}`, text }];
  return lines.map((span) => {
    const line = text.slice(span.start, span.end);
    return { ...rule, key: `rule:${line}`, text: line, span };
  });
}

function linesOf(text: string): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  for (const { 0: line, index: start } of text.matchAll(/[^\n]+/g)) spans.push({ start, end: start + line.length });
  return spans;
}

const RULE =
  /(?<![\p{L}\p{N}])(?:never|always|must not|mustn't|do not ever|don't ever|under no circumstances|from now on|at all times|forbidden|prohibited|niemals|nie|immer|jamais|toujours|nunca|siempre|sempre|nooit|altijd|nigdy|zawsze|никогда|всегда)(?![\p{L}\p{N}])|永远|切勿|禁止|必须|必ず|絶対|반드시|절대/iu;

/** Whether a line says what must always or never be done. */
function isRule(line: string): boolean {
  return line.length <= MAX_RULE_CHARACTERS && RULE.test(line) && isConstraint(line);
}

/** A rule that is said as an order, or to the one who works; not `I have always loved it` or `as always`. */
const PLAIN_RULE =
  /(?:^|[.!?:;–—] |[-*•] |(?<![\p{L}\p{N}])(?:please|must|should|shall|you|to|we) )(?:never|always)(?! (?:been|had|felt|seen|thought|loved|liked|wanted|dreamed|enjoyed|mind)(?![\p{L}\p{N}]))(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])(?:must not|mustn't|do not ever|don't ever|under no circumstances|from now on|at all times|forbidden|prohibited|i (?:always|never) (?:want|need|expect|prefer))(?![\p{L}\p{N}])/imu;
/** In other languages, the word alone makes a rule. */
const OTHER_LANGUAGES =
  /(?<![\p{L}\p{N}])(?:niemals|nie|immer|jamais|toujours|nunca|siempre|sempre|nooit|altijd|nigdy|zawsze|никогда|всегда)(?![\p{L}\p{N}])|永远|切勿|禁止|必须|必ず|絶対|반드시|절대/iu;

/** Whether a text states a rule as a rule, and does not only tell what someone always or never does. */
export function isPlainRule(text: string): boolean {
  return PLAIN_RULE.test(text) || OTHER_LANGUAGES.test(text);
}
