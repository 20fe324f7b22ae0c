import type { Message } from "palimpsest";
import type { Chat, Question } from "./chat.ts";

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

interface Fact {
  /** What the person says. */
  readonly said: string;
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
  for (let turn = 0; turn < DAYS * TURNS; turn++) {
    const name = turn % 2 === 0 ? first : second;
    const fact = random() < 0.12 ? pick(FACTS, random)(random) : undefined;
    const said = fact?.said ?? `${pick(SMALL_TALK, random)} ${pick(SMALL_TALK, random)}`;
    if (fact !== undefined) questions.push({ query: fact.asked.replaceAll("NAME", name), spans: [[turn, turn]] });
    const ts = FIRST_DAY + Math.floor(turn / TURNS) * 3 * DAY_MS + (turn % TURNS) * 60_000;
    messages.push({ id: `m${turn}`, role: turn % 2 === 0 ? "user" : "assistant", ts, content: `${name}: ${said}` });
  }
  return { name: `talk ${at}`, messages, questions };
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
  for (let turn = 0; turn < DAYS * TURNS; turn += 2) {
    const fact = random() < 0.2 ? pick(FACTS, random)(random) : undefined;
    const topic = `${pick(THINGS, random)} and ${pick(PLACES, random)}`;
    const content = `${fact?.said ?? ""} Could you give me some ideas about ${topic}?`.trim();
    if (fact !== undefined) questions.push({ query: asFirstPerson(fact.asked), spans: [[turn, turn]] });
    const ts = FIRST_DAY + Math.floor(turn / TURNS) * 3 * DAY_MS + (turn % TURNS) * 60_000;
    const advice = Array.from({ length: 6 }, (_, item) => `${item + 1}. **${topic}**: ${pick(ADVICE, random)}`).join(
      "\n",
    );
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
