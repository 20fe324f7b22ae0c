import { assert } from "../assert.ts";
import { isConstraint } from "../text/constraint-words.ts";
import type { CriterionDescription } from "./task-description.ts";

/** A task with more demands has pasted text in it. */
const MAX_CRITERIA = 50;
const MAX_TASK_CHARACTERS = 50_000;
const MAX_DESCRIPTION_CHARACTERS = 300;

/**
 * Proposes success criteria for a task: the demands in its text, in their own words and order. Demands are sentences that say what must, should
 * or must not hold, points of lists that demand something or are under a heading such as "Requirements", and statements that tests, builds or
 * checks pass. Code and questions are skipped. A criterion is not checked until it gets a validator.
 * @example
 * ```ts
 * import { extractCriteria } from "palimpsest/agent";
 * const criteria = extractCriteria("Fix the login.\n- All tests pass\n- The page must load within 2 s");
 * console.log(criteria.map(({ description }) => description)); // [ 'All tests pass', 'The page must load within 2 s' ]
 * ```
 */
export function extractCriteria(task: string): readonly CriterionDescription[] {
  assert(typeof task === "string", "task", task, "a string");
  const criteria = new Map<string, CriterionDescription>();
  for (const passage of passagesOf(task.slice(0, MAX_TASK_CHARACTERS))) {
    for (const description of demandsOf(passage)) {
      const key = description
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, " ")
        .trim();
      if (key !== "" && !criteria.has(key)) criteria.set(key, { description, measurable: isMeasurable(description) });
    }
  }
  return [...criteria.values()].slice(0, MAX_CRITERIA);
}

/** A point of a list, or a paragraph. */
interface Passage {
  readonly type: "point" | "paragraph";
  readonly text: string;
  /** The last heading, or line that ends with a colon, above it. */
  readonly heading: string;
}

const FENCE = /^\s*(?:```|~~~)/;
const HEADING = /^\s{0,3}#{1,6}\s|^\s*\*\*[^*]+\*\*:?\s*$|:\s*$/;
const POINT = /^\s*(?:[-*+•–]|\(?(?:\d{1,3}|[a-z])[.)])\s+(?:\[[ ]\]\s+)?/i;
const DONE_POINT = /^\s*[-*+]\s+\[x\]\s/i;

/** Joins the lines of each point and paragraph; leaves out code, and points that are ticked off. */
function passagesOf(task: string): readonly Passage[] {
  const passages: Passage[] = [];
  let heading = "";
  let isCode = false;
  let isOpen = false;
  for (const line of task.split(/\r\n?|\n/)) {
    if (FENCE.test(line)) isCode = !isCode;
    const last = passages.at(-1);
    const isPoint = POINT.test(line);
    if (isCode || FENCE.test(line) || line.trim() === "" || DONE_POINT.test(line)) isOpen = false;
    else if (isPoint) {
      passages.push({ type: "point", text: line.replace(POINT, "").trim(), heading });
      isOpen = true;
    } else if (isOpen && last !== undefined && !HEADING.test(line)) {
      passages[passages.length - 1] = { ...last, text: `${last.text} ${line.trim()}` };
    } else if (HEADING.test(line)) {
      heading = line;
      isOpen = false;
      // A sentence before a list may demand something itself.
      passages.push({ type: "paragraph", text: trimEnd(line.replace(/^[\s#*]+/, ""), "*:"), heading: "" });
    } else {
      passages.push({ type: "paragraph", text: line.trim(), heading: "" });
      isOpen = true;
    }
  }
  return passages;
}

/** Headings under which every point is a demand. */
const DEMANDING_HEADING =
  /\b(?:acceptance|requirements?|required|criteria|criterion|done (?:when|means|if)|definition of done|must|should|shall|ensure|make sure|needs? to|goals?|deliverables?|expected|checklist|conditions?|anforderungen|exigences|requisitos|requisiti)\b|要求|要件|验收|必须|요구/iu;
/** Words by which a sentence demands something; for a point of a list, weaker words are enough. */
const DEMAND =
  /(?<![\p{L}\p{N}])(?:must(?:n't)?|shall|should(?:n't)?|needs? to|(?:have|has) to|ensures?|make sure|verify that|(?:is|are) (?:required|expected|supposed) to|is required|never|do not|don't|at least|at most|no (?:more|less|fewer) than|muss|müssen|soll|sollen|sollte|darf|doit|doivent|il faut|debe|deben|deve|devem|devono|moet|moeten|musi|должен|должна|должно|должны)(?![\p{L}\p{N}])|必须|必須|务必|必ず|반드시/iu;
/** Statements that a check succeeds, which demand something without any of these words. */
const PASSING =
  /\b(?:tests?|specs?|suites?|builds?|lint(?:er|ing)?|type-?checks?|ci|pipelines?|checks?|benchmarks?|compil(?:es|ation))\b[^.!?]{0,60}\b(?:pass(?:es|ing)?|succeeds?|green|clean|works?|(?:without|no) (?:errors?|warnings?|failures?))\b|\bcompiles\b|\b(?:passing|green) (?:tests?|builds?|ci)\b/iu;
const IMPERATIVE =
  /^(?:add|allow|avoid|build|change|check|cover|create|delete|document|drop|ensure|expose|fix|handle|implement|improve|include|keep|limit|make|measure|move|prevent|provide|publish|refactor|reject|remove|rename|replace|return|run|show|stop|support|test|update|use|validate|verify|write)\b/iu;

function demandsOf({ type, text, heading }: Passage): readonly string[] {
  const sentences = sentencesOf(text).filter((sentence) => !/[?？]$/.test(sentence));
  if (type === "paragraph") return sentences.filter((each) => DEMAND.test(each) || PASSING.test(each)).map(clip);
  const whole = sentences.join(" ");
  const isDemand =
    DEMANDING_HEADING.test(heading) || isConstraint(whole) || PASSING.test(whole) || IMPERATIVE.test(whole);
  return isDemand && whole !== "" ? [clip(whole)] : [];
}

function sentencesOf(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?])(?<!\b(?:e\.g|i\.e|etc|vs|cf)\.)\s+(?=[\p{L}`"'(])|(?<=[。！？])/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "");
}

function clip(description: string): string {
  const bare = trimEnd(description, ".;,。");
  return bare.length > MAX_DESCRIPTION_CHARACTERS ? `${bare.slice(0, MAX_DESCRIPTION_CHARACTERS - 1)}…` : bare;
}

/** Removes white space and these characters from the end. */
function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && (characters.includes(text.charAt(end - 1)) || /\s/.test(text.charAt(end - 1)))) end -= 1;
  return text.slice(0, end);
}

const QUANTITY =
  /(?:[<>≤≥=]|\b(?:at (?:least|most)|(?:more|less|fewer|no more) than|under|below|above|within|exactly|up to)\b)[^.]{0,20}\d|\d\s*(?:%|percent|ms|s|sec(?:onds?)?|min(?:utes?)?|hours?|[kmg]i?b|bytes?|tokens?|lines?|px|usd|\$|€)(?![\p{L}\p{N}])|\bexit(?:s| code| status| with)\b/iu;

/** Whether a number or a check can decide a criterion. */
function isMeasurable(description: string): boolean {
  return PASSING.test(description) || QUANTITY.test(description);
}
