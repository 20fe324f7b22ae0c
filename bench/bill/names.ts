import type { Message } from "palimpsest";

// A scanner of its own: one that the ledger shared would miss in the question what it misses in the answer.
const WORD = /[A-Za-z0-9_$@][\w$@./-]{4,}/g;
const LEAST_CHARACTERS = 5;
const MOST_CHARACTERS = 200;

/** Names in a text that are no plain words: paths, and the parts of expressions that are written as only code is. */
export function namesIn(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [word] of text.matchAll(WORD)) {
    const whole = withoutTail(word);
    for (const name of whole.includes("/") ? [whole] : whole.split(".")) {
      if (name.length >= LEAST_CHARACTERS && name.length <= MOST_CHARACTERS && isName(name)) names.add(name);
    }
  }
  return names;
}

function withoutTail(word: string): string {
  let end = word.length;
  while (end > 0 && "./-".includes(word.charAt(end - 1))) end--;
  return word.slice(0, end);
}

/** "try/catch" and "0.25" are none; "src/login.ts", "readFile", "retry_count" and "b8a609f7" are. */
function isName(word: string): boolean {
  if (word.split("/").length > 2) return true;
  return /[_$@]|[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z]|\/.*\.[a-z]/.test(word);
}

const texts = new WeakMap<Message, string>();
const names = new WeakMap<Message, ReadonlySet<string>>();

function textOf(message: Message): string {
  const known = texts.get(message) ?? stringsIn(message.content).join("\n");
  texts.set(message, known);
  return known;
}

function namesOf(message: Message): ReadonlySet<string> {
  const known = names.get(message) ?? namesIn(textOf(message));
  names.set(message, known);
  return known;
}

/** All strings of a value; images hold no names. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  if (typeof value !== "object" || value === null || ("type" in value && value.type === "image")) return [];
  return Object.values(value).flatMap(stringsIn);
}

/** Names that replies used in their tool calls and that had been said before, and how many of these the view no longer showed. */
export interface NameWatch {
  /** What was said since the call before. */
  said(messages: readonly Message[]): void;
  /** A reply to this view. */
  answered(view: readonly Message[], reply: Message): void;
  readonly needed: number;
  readonly lost: number;
}

export function createNameWatch(): NameWatch {
  const known = new Set<string>();
  let needed = 0;
  let lost = 0;
  return {
    said: (messages) => {
      for (const message of messages) for (const name of namesOf(message)) known.add(name);
    },
    answered: (view, reply) => {
      const used = [...namesIn(toolInputs(reply))].filter((name) => known.has(name));
      needed += used.length;
      lost += used.filter((name) => !isShown(view, name)).length;
    },
    get needed() {
      return needed;
    },
    get lost() {
      return lost;
    },
  };
}

function toolInputs({ content }: Message): string {
  if (typeof content === "string") return "";
  return content.flatMap((block) => ("input" in block ? stringsIn(block.input) : [])).join("\n");
}

/** The newest messages are asked first: what is needed was mostly said of late. */
function isShown(view: readonly Message[], name: string): boolean {
  if (view.findLast((message) => namesOf(message).has(name)) !== undefined) return true;
  // a name may be part of a longer word in a stand-in
  return view.some((message) => textOf(message).includes(name));
}
