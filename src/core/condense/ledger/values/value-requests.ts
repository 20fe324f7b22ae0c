import { isConstraint } from "../../../text/constraint-words.ts";
import type { LogBlock } from "../log-blocks.ts";
import type { SourceLine } from "../source-lines.ts";
import { decay } from "./decay.ts";
import type { AddValue } from "./line-values.ts";
import { LINE_WORTH } from "./line-worth.ts";

/** People type less; more is pasted, or put in by a program. */
const MAX_TYPED_TOKENS = 300;
/** Of pasted texts, the beginning and the end tell what they are there for. */
const FIRST_LINES = 6;
const LAST_LINES = 3;
/** Requests this many replies old are worth half: most of them are done. */
const HALF_AGE = 30;

/** What the user said: the goal and what binds for good, requests while they are young, and of pasted texts what matters. */
export function valueRequests(blocks: readonly LogBlock[], add: AddValue): void {
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
