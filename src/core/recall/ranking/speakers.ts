import type { Message } from "../../message/message.ts";
import { isToolUse } from "../../message/tool-pairs.ts";

/** Who says what in a log, as far as messages say so. */
export interface Speakers {
  /** Adds the next message of the log. */
  add(message: Message): void;
  /** Whether the log is a conversation, and no agent works with tools: there are no more calls than messages of the user. */
  isTalk(): boolean;
  /**
   * Returns, for the index of a person's message, the share of the answer's score that is added to it: a long answer repeats, in more words, what it
   * answers. Undefined where no assistant gives long answers.
   */
  replySharesFor(query: string): ((messageIndex: number) => number) | undefined;
  /** Whether a message is text that a person said: the user, or somebody who is named. */
  isPerson(messageIndex: number): boolean;
  /** The speaker of a message, where several messages have the same name; else undefined. */
  nameOf(messageIndex: number): string | undefined;
  /** Returns the factor of a message by its index: more where the query names its speaker, less for long answers of an assistant. */
  weigherFor(query: string): (messageIndex: number, isText: boolean) => number;
}

/** The factor for messages whose speaker the query names. */
const ASKED_SPEAKER_WEIGHT = 1.2;
/** One name at the start of a single message may be a heading. */
const MIN_MESSAGES = 3;
/** The least share of a name's words that the query must have. */
const MIN_NAME_SHARE = 0.5;

/** The least factor for an assistant's long answers: they are mostly general, and people mostly ask for what they said themselves. */
const MIN_ASSISTANT_WEIGHT = 0.3;
/** An assistant whose messages are at most this many times as long as the person's does not give long answers. */
const EQUAL_LENGTHS = 1.5;
/** A further factor where people ask about themselves. */
const ABOUT_SELF_SHARE = 0.5;
/** The share of an answer's score that is added to the message before it, where the answer itself would count nothing. */
const MAX_REPLY_SHARE = 0.5;

/** The speakers of an empty log. */
export function createSpeakers(): Speakers {
  /** Names by speaker number. */
  const names: string[] = [];
  const numbers = new Map<string, number>();
  const counts: number[] = [];
  /** The number of the speaker of each message, or -1. */
  const speakers: number[] = [];
  const saysText: boolean[] = [];
  const roles: Message["role"][] = [];
  const lengths = { user: { characters: 0, messages: 0 }, assistant: { characters: 0, messages: 0 } };

  let calls = 0;

  function numberOf(name: string): number {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, names.length);
    counts.push(0);
    return names.push(name) - 1;
  }

  function isKnown(number: number): boolean {
    return (counts[number] ?? 0) >= MIN_MESSAGES;
  }

  function isSaidBy(role: Message["role"], messageIndex: number): boolean {
    return roles[messageIndex] === role && saysText[messageIndex] === true;
  }

  /** People who are named talk to each other, whatever role their messages have. */
  function isAnswer(messageIndex: number): boolean {
    return isSaidBy("assistant", messageIndex) && !isKnown(speakers[messageIndex] ?? -1);
  }

  function assistantWeight(query: string): number {
    const { user, assistant } = lengths;
    if (user.messages === 0 || assistant.messages === 0 || isAskedOfAssistant(query)) return 1;
    const ratio = assistant.characters / assistant.messages / (user.characters / user.messages);
    if (ratio <= EQUAL_LENGTHS) return 1;
    const weight = Math.max(MIN_ASSISTANT_WEIGHT, 1 / ratio);
    return ASKS_ABOUT_SELF.test(query) ? weight * ABOUT_SELF_SHARE : weight;
  }

  return {
    add(message) {
      const text = spokenText(message);
      const name = speakerName(message, text);
      const number = name === undefined ? -1 : numberOf(name);
      if (number >= 0) counts[number] = (counts[number] ?? 0) + 1;
      speakers.push(number);
      roles.push(message.role);
      saysText.push(text !== "");
      calls += callsIn(message);
      if (text === "") return;
      lengths[message.role].characters += text.length;
      lengths[message.role].messages++;
    },
    isTalk: () => calls <= lengths.user.messages,
    isPerson: (messageIndex) => saysText[messageIndex] === true && !isAnswer(messageIndex),
    nameOf: (messageIndex) => {
      const number = speakers[messageIndex] ?? -1;
      return isKnown(number) ? names[number] : undefined;
    },
    replySharesFor(query) {
      const share = MAX_REPLY_SHARE * (1 - assistantWeight(query));
      if (share <= 0) return undefined;
      return (messageIndex) => (isSaidBy("user", messageIndex) && isAnswer(messageIndex + 1) ? share : 0);
    },
    weigherFor(query) {
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

/** Words in which people ask for what they said of themselves. */
const ASKS_ABOUT_SELF =
  /(?<![\p{L}\p{N}])(?:i|my|mine|me|we|our|us|ich|mein|meine|meinen|meiner|wir|unser|je|mon|ma|mes|nous|notre|mi|mis|yo|nosotros|nuestra|nuestro|meu|minha|io|mio|mia|я|мой|моя|мне|меня|мы)(?![\p{L}\p{N}])|[我私俺僕]/iu;

function spokenText({ content }: Message): string {
  if (typeof content === "string") return content;
  return content
    .map((block) => (block.type === "text" && "text" in block ? String(block.text) : ""))
    .join("\n")
    .trim();
}

function callsIn({ content }: Message): number {
  return typeof content === "string" ? 0 : content.reduce((sum, block) => sum + (isToolUse(block) ? 1 : 0), 0);
}

const MAX_NAME_CHARACTERS = 60;
/** `Anna: …` */
const NAME = /^(\p{L}[^:\n]{0,60}): /u;

/** The speaker's name: in the field `name`, which some providers have, or before a colon at the beginning of the text. */
function speakerName(message: Message, text: string): string | undefined {
  if ("name" in message && typeof message.name === "string") return message.name.slice(0, MAX_NAME_CHARACTERS);
  return NAME.exec(text.slice(0, 2 * MAX_NAME_CHARACTERS))?.[1];
}

/** The numbers of the speakers that a query names: those with the largest share of their name in it. */
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
    const nameWords = wordsOf(name);
    const shared = nameWords.filter((word) => words.has(word));
    const share = shared.length / Math.max(1, nameWords.length);
    if (share < best || !shared.some((word) => word.length > 2)) continue;
    if (share > best) asked = [];
    best = share;
    asked.push(number);
  }
  return new Set(asked);
}

const SECOND_PERSON = new Set(["you", "your", "yours", "assistant"]);
/** Words before `you` in a polite request: `can you tell me what I said` does not ask about the assistant. */
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
