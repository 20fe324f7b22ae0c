import type { Message } from "palimpsest";
import { type Chat, type Question, textOf } from "./chat.ts";

/**
 * Invented talks, for a sanity check and no figure: two named people, or a person and an assistant, over many days. What is asked for was said once,
 * in a short message among hundreds, in words that are only partly those of the question.
 */
export function inventDialogues(count: number, random: () => number): readonly Chat[] {
  return Array.from({ length: count }, (_, at) =>
    at % 2 === 0 ? inventTalk(random, at) : inventAssistance(random, at),
  );
}

const NAMES = ["Anna", "Marek", "Lucia", "Tom", "Priya", "Jonas", "Mei", "Samuel"];
const PLACES = ["Lisbon", "Kraków", "the Lake District", "Osaka", "Bergen", "Valencia", "Tallinn", "Montreal"];
const THINGS = ["piano", "kayak", "sourdough", "pottery", "chess", "telescope", "bicycle", "garden"];
const KIN = ["sister", "brother", "grandmother", "cousin", "uncle", "neighbour", "flatmate", "daughter"];
const WORK = ["library", "bakery", "clinic", "observatory", "theatre", "school", "harbour office", "museum"];

/** Facts that nobody has said yet in a conversation: what is said twice has no one place. */
function createFacts(random: () => number): (share: number) => Fact | undefined {
  const said = new Set<string>();
  return (share) => {
    if (random() >= share) return undefined;
    const fact = pick([...FACTS, ...ANSWERS], random)(random);
    if (said.has(fact.asked)) return undefined;
    said.add(fact.asked);
    return fact;
  };
}

interface Fact {
  /** What the person says. */
  readonly said: string;
  /** What the other one asks right before, where what is said is only half of it. */
  readonly prompt?: string;
  /** What somebody else asks about them; `NAME` is the person. */
  readonly asked: string;
}

const pick = <Item>(items: readonly Item[], random: () => number): Item => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("Nothing to pick from: the list is empty.");
  return item;
};

const FACTS: readonly ((random: () => number) => Fact)[] = [
  (random) => {
    const kin = pick(KIN, random);
    return {
      said: `My ${kin} came to see us last weekend, we cooked all day.`,
      asked: `When did NAME's ${kin} visit?`,
    };
  },
  (random) => {
    const place = pick(PLACES, random);
    return {
      said: `We just booked the flights to ${place} for the spring!`,
      asked: `Where is NAME travelling in spring, is it ${place}?`,
    };
  },
  (random) => {
    const thing = pick(THINGS, random);
    return {
      said: `I've been practising with the ${thing} for three months now.`,
      asked: `How long has NAME been into ${thing}?`,
    };
  },
  (random) => {
    const work = pick(WORK, random);
    return {
      said: `Guess what, I start at the ${work} on Monday.`,
      asked: `When does NAME begin the new job at the ${work}?`,
    };
  },
  (random) => {
    const kin = pick(KIN, random);
    return {
      said: `I gave my ${kin} an old camera, she cried a little.`,
      asked: `What present did NAME give to the ${kin}?`,
    };
  },
  (random) => {
    const thing = pick(THINGS, random);
    return {
      said: `The ${thing} class costs me 45 a month, but it keeps me sane.`,
      asked: `What does NAME pay for the ${thing} classes?`,
    };
  },
  (random) => {
    const place = pick(PLACES, random);
    return {
      said: `Honestly ${place} was a let-down, it rained and I lost my wallet.`,
      asked: `What did NAME lose in ${place}?`,
    };
  },
];

const ANSWERS: readonly ((random: () => number) => Fact)[] = [
  (random) => {
    const kin = pick(KIN, random);
    const place = pick(PLACES, random);
    return {
      prompt: `By the way, where does your ${kin} live these days?`,
      said: `In ${place}, ever since the wedding.`,
      asked: `In which city does NAME's ${kin} live?`,
    };
  },
  (random) => {
    const thing = pick(THINGS, random);
    const kin = pick(KIN, random);
    return {
      prompt: `Who got you interested in ${thing}?`,
      said: `That was my ${kin}, many years ago.`,
      asked: `Who introduced NAME to ${thing}?`,
    };
  },
  (random) => {
    const work = pick(WORK, random);
    return {
      prompt: `How did the interview at the ${work} go?`,
      said: `Not well, I mixed up the dates and came a day late (number ${Math.floor(random() * 1_000)}).`,
      asked: `Why did NAME's interview at the ${work} go wrong?`,
    };
  },
];

const SMALL_TALK = [
  "That sounds lovely, how did it go?",
  "Ha, I know that feeling. Same here.",
  "It has been such a week, I need a weekend.",
  "Tell me more, when did you start with it?",
  "I was thinking about a visit to my family soon.",
  "Work was fine, the new job keeps me busy.",
  "Did you see the photos I sent?",
  "Oh wow, congratulations! You deserve it.",
  "My classes start again on Monday, I pay too much for them.",
  "We should travel somewhere together in spring.",
];

const DAY_MS = 86_400_000;
const FIRST_DAY = Date.UTC(2025, 0, 6, 18);
const DAYS = 24;
const TURNS = 24;

function inventTalk(random: () => number, at: number): Chat {
  const first = pick(NAMES, random);
  const second = pick(
    NAMES.filter((name) => name !== first),
    random,
  );
  const messages: Message[] = [];
  const questions: Question[] = [];
  const nextFact = createFacts(random);
  for (let turn = 0; turn < DAYS * TURNS; turn++) {
    const name = turn % 2 === 0 ? first : second;
    const fact = nextFact(0.12);
    const said = fact?.said ?? `${pick(SMALL_TALK, random)} ${pick(SMALL_TALK, random)}`;
    if (fact !== undefined) questions.push({ query: fact.asked.replaceAll("NAME", name), spans: [[turn, turn]] });
    const ts = FIRST_DAY + Math.floor(turn / TURNS) * 3 * DAY_MS + (turn % TURNS) * 60_000;
    if (fact?.prompt !== undefined) askFirst(messages, fact.prompt);
    messages.push({ id: `m${turn}`, role: turn % 2 === 0 ? "user" : "assistant", ts, content: `${name}: ${said}` });
  }
  return { name: `talk ${at}`, messages, questions };
}

/** Adds a question to what was said last. */
function askFirst(messages: Message[], prompt: string): void {
  const last = messages.pop();
  if (last !== undefined) messages.push({ ...last, content: `${textOf(last)} ${prompt}` });
}

const ADVICE = [
  "Here is a plan: first look at what you pay each month, then decide what to keep.",
  "For a visit, book early, pack light and leave one day free for rain.",
  "A new job is a lot: write down names, ask questions, and rest on the first weekend.",
  "When you begin with a class, practise a little every day rather than long on Sundays.",
  "A present need not be expensive: something old that was cared for says more.",
  "In spring the flights are cheaper on Tuesdays, and the museums are empty.",
];

function inventAssistance(random: () => number, at: number): Chat {
  const messages: Message[] = [];
  const questions: Question[] = [];
  const nextFact = createFacts(random);
  for (let turn = 0; turn < DAYS * TURNS; turn += 2) {
    const fact = nextFact(0.2);
    const topic = `${pick(THINGS, random)} and ${pick(PLACES, random)}`;
    const content = `${fact?.said ?? ""} Could you give me some ideas about ${topic}?`.trim();
    if (fact !== undefined) questions.push({ query: asFirstPerson(fact.asked), spans: [[turn, turn]] });
    const ts = FIRST_DAY + Math.floor(turn / TURNS) * 3 * DAY_MS + (turn % TURNS) * 60_000;
    const advice = Array.from({ length: 6 }, (_, item) => `${item + 1}. **${topic}**: ${pick(ADVICE, random)}`).join(
      "\n",
    );
    if (fact?.prompt !== undefined) askFirst(messages, fact.prompt);
    messages.push({ id: `m${turn}`, role: "user", ts, content });
    messages.push({ id: `m${turn + 1}`, role: "assistant", ts, content: `Of course! About ${topic}:\n${advice}` });
  }
  return { name: `assistance ${at}`, messages, questions };
}

function asFirstPerson(asked: string): string {
  return asked
    .replace("NAME's", "my")
    .replace(/\b(?:did|does|is|has) NAME/, "do I")
    .replace("NAME", "I");
}
