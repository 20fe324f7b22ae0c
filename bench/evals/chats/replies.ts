import type { Message } from "palimpsest";
import { type Chat, textOf } from "./chat.ts";

const POINTS = 8;
const WORDS = /\p{L}{5,}/gu;
const FRAMES = [
  "when you think about {a}, it often helps to look at {b} first and to write down what matters most to you",
  "many people find that {a} and {b} go together, so it is worth spending some time on both of them",
  "there are several options for {a}, depending on your budget, your time, and how much {b} means to you",
  "a good first step with {a} is to ask someone with experience, and to compare what they say about {b}",
  "keep in mind that {a} can change quickly, and that {b} is usually the part that takes longest",
  "if {a} becomes too much, take a break and come back to {b} with fresh eyes in a day or two",
];

/** The chat with an invented reply after each message of the person: long, general, and full of the words of this message and of others. */
export function withReplies({ name, messages, questions }: Chat, random: () => number): Chat {
  const words = messages.map((message) => [...textOf(message).matchAll(WORDS)].map(([word]) => word.toLowerCase()));
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const replied = messages.flatMap((message, at): readonly Message[] => {
    const points = Array.from({ length: POINTS }, (_, point) => {
      const [own, other] = [words[at] ?? [], pick(words) ?? []];
      const [a, b] = [pick(own) ?? "this", pick(point % 2 === 0 ? own : other) ?? "that"];
      return `${point + 1}. **${a} and ${b}**: ${(pick(FRAMES) ?? "").replace("{a}", a).replace("{b}", b)}.`;
    });
    const content = `That is a great point! Here is what I would consider:\n${points.join("\n")}\nLet me know how it goes.`;
    return [
      { ...message, id: `m${2 * at}` },
      { id: `m${2 * at + 1}`, role: "assistant", content },
    ];
  });
  return {
    name,
    messages: replied,
    questions: questions.map(({ spans, ...question }) => ({
      ...question,
      spans: spans.map(([a, b]) => [2 * a, 2 * b]),
    })),
  };
}
