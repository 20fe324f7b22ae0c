import type { Message } from "palimpsest";
import type { Chat, Question } from "../chat.ts";
import { type FactTemplate, LISTS, OPENERS, REACTIONS, TOPICS, type Topic } from "./topics.ts";

export interface InventOptions {
  readonly random: () => number;
  readonly sessions: number;
  /** `people`: two of them by name. `assistant`: a person, and a model that answers at length. */
  readonly between: "people" | "assistant";
}

const NAMES = ["Anna", "Marek", "Lucia", "Tom", "Priya", "Jonas", "Mei", "Samuel"];
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const FIRST_DAY_MS = Date.UTC(2024, 0, 8, 18);
const TOPICS_PER_SESSION = 3;
const FACT_SHARE = 0.55;
const CHANGE_SHARE = 0.5;

/** Something that was told, and what will be asked about it. */
interface ToldFact {
  readonly template: FactTemplate;
  readonly asked: string;
  readonly values: ReadonlyMap<string, string>;
  readonly speaker: string;
  readonly spans: [number, number][];
}

/**
 * An invented talk of many sessions, for finding gross failures: its figures say nothing about real ones. What is asked for was said once, or once
 * and changed later, among much that is about the same things.
 */
export function inventChat(name: string, options: InventOptions): Chat {
  const { random, sessions, between } = options;
  const first = pick(NAMES, random);
  const others = NAMES.filter((each) => each !== first);
  const speakers = [first, pick(others, random)] as const;
  const messages: Message[] = [];
  const told = new Map<string, ToldFact>();
  let ts = FIRST_DAY_MS;
  const say = (speaker: number, text: string): number => {
    const isNamed = between === "people";
    const content = isNamed ? `${speakers[speaker]}: ${text}` : text;
    ts += MINUTE_MS;
    return messages.push({ id: `m${messages.length}`, role: speaker === 0 ? "user" : "assistant", ts, content }) - 1;
  };
  for (let session = 0; session < sessions; session++) {
    ts = FIRST_DAY_MS + session * 4 * DAY_MS + Math.floor(random() * DAY_MS);
    const write = { random, say, told, speakers };
    if (between === "people") writeTalk(write);
    else writeAssistance(write);
  }
  return { name, messages, questions: [...told.values()].map((fact) => questionOf(fact, between)) };
}

interface SessionWriter {
  readonly random: () => number;
  /** Adds what one of the two says, and returns its place. */
  readonly say: (speaker: number, text: string) => number;
  readonly told: Map<string, ToldFact>;
  readonly speakers: readonly [string, string];
}

function writeTalk({ random, say, told, speakers }: SessionWriter): void {
  const starter = random() < 0.5 ? 0 : 1;
  say(starter, pick(OPENERS, random).replace("NAME", speakers[1 - starter] ?? ""));
  for (let block = 0; block < TOPICS_PER_SESSION; block++) {
    const topic = pick(TOPICS, random);
    const teller = random() < 0.5 ? 0 : 1;
    say(teller, pick(topic.chatter, random));
    const fact = random() < FACT_SHARE ? nextFact(topic, { random, told, speaker: speakers[teller] ?? "" }) : undefined;
    say(1 - teller, fact?.prompt ?? `${pick(REACTIONS, random)} ${pick(topic.chatter, random)}`);
    const place = say(teller, fact === undefined ? pick(topic.chatter, random) : fact.said);
    fact?.told.spans.push([place, place]);
    say(1 - teller, pick(REACTIONS, random));
  }
  say(starter, `I have to go now. ${pick(REACTIONS, random)}`);
}

const POINTS = 9;

function writeAssistance({ random, say, told, speakers }: SessionWriter): void {
  const topic = pick(TOPICS, random);
  for (let turn = 0; turn < TOPICS_PER_SESSION; turn++) {
    const fact = random() < FACT_SHARE ? nextFact(topic, { random, told, speaker: speakers[0] }) : undefined;
    const place = say(0, [fact?.said ?? "", pick(topic.chatter, random), pick(REQUESTS, random)].join(" ").trim());
    fact?.told.spans.push([place, place]);
    const points = Array.from({ length: POINTS }, (_, at) => {
      const about = at % 3 === 2 ? pick(TOPICS, random) : topic;
      return `${at + 1}. **${pick(about.chatter, random).slice(0, -1)}**: ${pick(about.advice, random)}`;
    });
    const echo = fact === undefined ? "" : ` You mentioned: ${fact.said.toLowerCase().split(",")[0]}.`;
    say(1, `Of course, here are some thoughts.${random() < 0.5 ? echo : ""}\n${points.join("\n")}\nAnything else?`);
  }
}

const REQUESTS = [
  "Could you give me some ideas what to do about it?",
  "What would you suggest?",
  "Can you help me make a plan?",
  "Do you have any advice for me?",
];

interface FactSource {
  readonly random: () => number;
  readonly told: Map<string, ToldFact>;
  readonly speaker: string;
}

/** Something new about the topic, or a change of what was told before. */
function nextFact(topic: Topic, { random, told, speaker }: FactSource) {
  const template = pick(topic.facts, random);
  const known = [...told.values()].find((each) => each.template === template && each.speaker === speaker);
  const values = fillValues(`${template.said} ${template.changed ?? ""} ${template.asked}`, random);
  const isChange = template.changed !== undefined && known?.spans.length === 1 && random() < CHANGE_SHARE;
  if (isChange && known !== undefined && template.changed !== undefined) {
    const kept = new Map([...values, ...[...known.values].filter(([slot]) => slot === "kin")]);
    return { said: fill(template.changed, kept), prompt: undefined, told: known };
  }
  const asked = fill(template.asked, values).replaceAll("NAME", speaker);
  // What was told twice has no one place, and one who has two jobs tells of a change.
  if (told.has(asked)) return undefined;
  const fact: ToldFact = { template, asked, values, speaker, spans: [] };
  told.set(asked, fact);
  const prompt = template.prompt === undefined ? undefined : fill(template.prompt, values);
  return { said: fill(template.said, values), prompt, told: fact };
}

function questionOf({ asked, spans, speaker }: ToldFact, between: InventOptions["between"]): Question {
  return { query: between === "people" ? asked : asFirstPerson(asked, speaker), spans };
}

function asFirstPerson(asked: string, name: string): string {
  return asked
    .replace(`${name}'s`, "my")
    .replace(new RegExp(`\\b(?:did|does|is|was) ${name}\\b`), "do I")
    .replace(name, "me");
}

function fillValues(text: string, random: () => number): ReadonlyMap<string, string> {
  const slots = new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, slot = ""]) => slot));
  return new Map([...slots].map((slot) => [slot, pick(LISTS[slot] ?? [], random)]));
}

function fill(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (whole, slot: string) => values.get(slot) ?? whole);
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("Nothing to pick from: the list is empty.");
  return item;
}
