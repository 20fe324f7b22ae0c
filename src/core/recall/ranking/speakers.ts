import type { Message } from "../../message/message.ts";

/** Who says what in a log, as far as the messages tell. */
export interface Speakers {
  /** Takes the next message of the log. */
  add(message: Message): void;
  /** How much more a message counts for, by its place: more where the query names the one who said it, less for an assistant that explains at length. */
  weigherFor(query: string): (messageIndex: number, isText: boolean) => number;
}

/** So much more does a message count for whose speaker the query names. */
const ASKED_SPEAKER_WEIGHT = 1.2;
/** One name at the start of a single message may be a heading. */
const MIN_MESSAGES = 3;
/** At least this share of the words of a name has to be in the query. */
const MIN_NAME_SHARE = 0.5;

/** What an assistant says at length is mostly general; what people ask for later is mostly what they said themselves. */
const MIN_ASSISTANT_WEIGHT = 0.5;
/** Up to this many times as long as the person's messages, an assistant's are a conversation among equals. */
const EQUAL_LENGTHS = 1.5;

/** No messages yet. */
export function createSpeakers(): Speakers {
  /** By their numbers. */
  const names: string[] = [];
  const numbers = new Map<string, number>();
  const counts: number[] = [];
  /** The number of the speaker of each message, or -1. */
  const speakers: number[] = [];
  const roles: Message["role"][] = [];
  const lengths = { user: { characters: 0, messages: 0 }, assistant: { characters: 0, messages: 0 } };

  function numberOf(name: string): number {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, names.length);
    counts.push(0);
    return names.push(name) - 1;
  }

  function assistantWeight(query: string): number {
    const { user, assistant } = lengths;
    if (user.messages === 0 || assistant.messages === 0 || isAskedOfAssistant(query)) return 1;
    const ratio = assistant.characters / assistant.messages / (user.characters / user.messages);
    return Math.max(MIN_ASSISTANT_WEIGHT, Math.min(1, EQUAL_LENGTHS / ratio));
  }

  return {
    add(message) {
      const text = spokenText(message);
      const name = speakerName(message, text);
      const number = name === undefined ? -1 : numberOf(name);
      if (number >= 0) counts[number] = (counts[number] ?? 0) + 1;
      speakers.push(number);
      roles.push(message.role);
      if (text === "") return;
      lengths[message.role].characters += text.length;
      lengths[message.role].messages++;
    },
    weigherFor(query) {
      const isKnown = (number: number) => (counts[number] ?? 0) >= MIN_MESSAGES;
      const asked = askedSpeakers(names, query, isKnown);
      const ofAssistant = assistantWeight(query);
      return (messageIndex, isText) => {
        const speaker = speakers[messageIndex] ?? -1;
        if (asked.has(speaker)) return ASKED_SPEAKER_WEIGHT;
        // People who are named talk to each other, whatever role their messages have.
        return isText && roles[messageIndex] === "assistant" && !isKnown(speaker) ? ofAssistant : 1;
      };
    },
  };
}

function spokenText({ content }: Message): string {
  if (typeof content === "string") return content;
  return content
    .map((block) => (block.type === "text" && "text" in block ? String(block.text) : ""))
    .join("\n")
    .trim();
}

const MAX_NAME_CHARACTERS = 60;
/** `Anna: …` */
const NAME = /^(\p{L}[^:\n]{0,60}): /u;

/** As it stands in the field that some providers have for it, or before the colon that the text begins with. */
function speakerName(message: Message, text: string): string | undefined {
  if ("name" in message && typeof message.name === "string") return message.name.slice(0, MAX_NAME_CHARACTERS);
  return NAME.exec(text.slice(0, 2 * MAX_NAME_CHARACTERS))?.[1];
}

/** The speakers that a query names, by their numbers; of several with a common word, those of whose name it has most. */
function askedSpeakers(
  names: readonly string[],
  query: string,
  isKnown: (number: number) => boolean,
): ReadonlySet<number> {
  const words = new Set(wordsOf(query));
  let best = MIN_NAME_SHARE;
  let asked: number[] = [];
  for (const [number, name] of names.entries()) {
    if (!isKnown(number)) continue;
    const own = wordsOf(name);
    const found = own.filter((word) => words.has(word));
    const share = found.length / Math.max(1, own.length);
    if (share < best || !found.some((word) => word.length > 2)) continue;
    if (share > best) asked = [];
    best = share;
    asked.push(number);
  }
  return new Set(asked);
}

const SECOND_PERSON = new Set(["you", "your", "yours", "assistant"]);
/** `can you tell me what I said` asks nothing about the one who is asked. */
const POLITE = new Set(["can", "could", "would", "will", "do", "thank", "if"]);

function isAskedOfAssistant(query: string): boolean {
  const words = wordsOf(query);
  return words.some((word, at) => SECOND_PERSON.has(word) && !POLITE.has(words[at - 1] ?? ""));
}

const MAX_QUERY_CHARACTERS = 10_000;

function wordsOf(text: string): readonly string[] {
  return (
    text
      .slice(0, MAX_QUERY_CHARACTERS)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}
