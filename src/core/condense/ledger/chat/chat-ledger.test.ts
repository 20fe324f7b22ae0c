import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assistant, call, result, text, user } from "../../../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../../../test/support/property-runs.ts";
import type { Message } from "../../../message/message.ts";
import { logBlocks } from "../log-blocks.ts";
import { sourceBlocks } from "../source-lines.ts";
import { writeLedger } from "../write-ledger.ts";
import { readTurns } from "./chat-lines.ts";
import { isChat } from "./is-chat.ts";
import { sentencesOf } from "./sentences.ts";

const SMALL_TALK = ["Oh nice, that sounds good.", "Yes, sure.", "Hello, how are you?", "I see, okay then."];

/** So many turns of small talk with these facts in between, evenly. */
function talk(turns: number, facts: readonly string[]): readonly Message[] {
  const every = Math.floor(turns / Math.max(1, facts.length));
  return Array.from({ length: turns }, (_, at): Message => {
    const fact = at % every === 0 ? facts[at / every] : undefined;
    const said = fact ?? `${SMALL_TALK[at % SMALL_TALK.length]} ${SMALL_TALK[(at * 7) % SMALL_TALK.length]}`;
    return at % 2 === 0 ? user(said) : assistant(said);
  });
}

const FACTS = [
  "My sister Lucia moved to Valencia in March 2024.",
  "I am allergic to walnuts, so no pesto from the bakery.",
  "The wedding is on the 12th of June at the harbour.",
  "We booked flight KL1705 for the whole family.",
  "I prefer trains over buses since the accident near Bergen.",
];

function ledgerOf(messages: readonly Message[], budgetTokens: number): readonly string[] {
  return writeLedger(messages, { budgetTokens }).text.split("\n");
}

test("what people tell is quoted from all of a conversation, small talk is not", () => {
  const lines = ledgerOf(talk(400, FACTS), 250).join("\n");
  for (const fact of FACTS) expect(lines).toContain(fact);
  expect(lines).not.toContain("Yes, sure.");
});

test("each message takes one line: its number, who speaks unless it is the user, and the words", () => {
  expect(ledgerOf(talk(400, FACTS), 400)).toContain(`m80 ${FACTS[1]}`);
});

test("a user's words that could pass for another speaker's have the role before them", () => {
  const quoted = ["assistant: I paid the harbour fee of 40 euros.", "I paid the harbour fee of 60 euros: too much."];
  const lines = ledgerOf(talk(100, quoted), 300);
  expect(lines).toContain(`m0 user: ${quoted[0]}`);
  expect(lines).toContain(`m50 ${quoted[1]}`);
});

test("names before what is said tell who speaks", () => {
  const named = talk(100, FACTS).map((message, at) => {
    return {
      ...message,
      content: `${at % 2 === 0 ? "Anna" : "Marek"}: ${String(FACTS[at / 20] ?? "I see, okay then.")}`,
    };
  });
  expect(ledgerOf(named, 400)).toContain(`m20 Anna: ${FACTS[1]}`);
});

test("also names of a script without capitals", () => {
  const named = talk(100, ["父は来月の十四日に退院します。", "猫の名前はすずりです。"]).map((message, at) => ({
    ...message,
    content: `${at % 2 === 0 ? "美咲" : "健太"}: ${String(message.content)}`,
  }));
  expect(ledgerOf(named, 400)).toContain("m0 美咲: 父は来月の十四日に退院します。");
});

test("days stand above what was said on them, once", () => {
  const day = 86_400_000;
  const dated = talk(100, FACTS).map((message, at) => ({
    ...message,
    ts: Date.UTC(2025, 0, 6) + Math.floor(at / 50) * day,
  }));
  const lines = ledgerOf(dated, 500);
  expect(lines.filter((line) => line.startsWith("["))).toEqual(["[2025-01-06]", "[01-07]"]);
});

test("the first day of another year is written in full", () => {
  const days = [Date.UTC(2025, 11, 31), Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)];
  const dated = talk(150, FACTS).map((message, at) => ({ ...message, ts: days[Math.floor(at / 50)] ?? 0 }));
  const lines = ledgerOf(dated, 500).filter((line) => line.startsWith("["));
  expect(lines).toEqual(["[2025-12-31]", "[2026-01-01]", "[01-02]"]);
});

test("a sentence of few words is worth less, and so is what it tells of its speaker", () => {
  const worthOf = (said: string) => sourceBlocks(user(said)).flatMap(({ lines }) => lines.flatMap(readTurns))[0]?.worth;
  const telling = worthOf("I grew up on a barge near Ghent with my aunt Odette.");
  expect(worthOf("I needed cedar planks.")).toBeLessThan(telling ?? 0);
  expect(worthOf("My uncle keeps bees in a shed behind the old harbour wall near Ghent.")).toBe(telling);
});

describe("what was taken back", () => {
  const facts = ["The wedding is on the 12th of June.", "No, it is on the 14th of June."];
  const corrected = [
    ...talk(20, []),
    user(facts[0] ?? ""),
    assistant("Noted, the date."),
    user(facts[1] ?? ""),
    ...talk(40, []),
  ];

  test("is marked with the message that says so, and the newer one is quoted", () => {
    const lines = ledgerOf(corrected, 300);
    expect(lines).toContain(`m20 ${facts[0]} [taken back in m22]`);
    expect(lines).toContain(`m22 ${facts[1]}`);
  });

  test("is a plan as well, where another one is made instead", () => {
    const plans = ["I think we should paint the fence.", "You know what, final answer: let's plant a hedge."];
    const lines = ledgerOf(
      [...talk(20, []), user(plans[0] ?? ""), assistant("OK."), user(plans[1] ?? ""), ...talk(20, [])],
      300,
    );
    expect(lines).toContain(`m20 ${plans[0]} [taken back in m22]`);
  });

  test("what the view shows elsewhere is named by what takes it back", () => {
    const { text } = writeLedger(corrected, { budgetTokens: 300, visible: corrected.slice(20, 21) });
    expect(text.split("\n")).toContain(`m22 ${facts[1]} [takes back m20]`);
  });

  test("a plain no to a question takes nothing back", () => {
    const log = [
      ...talk(20, []),
      user("Did you see Marek at the harbour?"),
      assistant("No, I was at home."),
      ...talk(20, []),
    ];
    expect(ledgerOf(log, 300).join("\n")).not.toContain("taken back");
  });
});

test("what a model answers at length gives way to what the person said", () => {
  const answer = Array.from(
    { length: 12 },
    (_, item) => `${item + 1}. A long piece of advice about topic ${item}.`,
  ).join("\n");
  const log = FACTS.flatMap((fact) => [user(fact), assistant(answer)]);
  const lines = ledgerOf([...log, ...log.map((message) => ({ ...message }))], 320).join("\n");
  for (const fact of FACTS) expect(lines).toContain(fact);
});

test("what people tell of themselves, and numbers, come before rare words that tell nothing", () => {
  const letters = "abcdefghijklmno";
  const praise = Array.from({ length: 120 }, (_, at) => {
    const odd = `${letters[at % 15]}${letters[Math.floor(at / 15)]}`;
    return user(
      `Such a gorge${odd}ous and swir${odd}ling community of fer${odd}vent taste, quite a rab${odd}bit hole.`,
    );
  });
  const facts = ["My counter has thirty square feet.", "I live near a small lake with my uncle."];
  const log = [...praise.slice(0, 60), user(facts[0] ?? ""), user(facts[1] ?? ""), ...praise.slice(60)];
  const lines = ledgerOf(log, 300).join("\n");
  for (const fact of facts) expect(lines).toContain(fact);
});

test("a long line is quoted by whole sentences", () => {
  const sentences = Array.from(
    { length: 12 },
    (_, at) => `I keep lamp number ${at} in the tower above the old harbour wall.`,
  );
  const log = [...talk(20, []), user(sentences.join(" ")), ...talk(20, [])];
  const line = ledgerOf(log, 320).find((each) => each.includes("lamp number")) ?? "";
  const quoted = line.slice(line.indexOf(" ") + 1).split(/ … |(?<=wall\.) /);
  expect(quoted.length).toBeGreaterThan(3);
  for (const each of quoted) expect(sentences).toContain(each);
});

test("a log of an agent that works with tools is none", () => {
  const work = Array.from({ length: 20 }, (_, at) => [
    assistant("Reading.", call(`t${at}`)),
    user(result(`t${at}`)),
  ]).flat();
  expect(isChat(logBlocks(work))).toBe(false);
  expect(isChat(logBlocks(talk(20, [])))).toBe(true);
  expect(isChat(logBlocks(talk(4, [])))).toBe(false);
  const once = [...talk(60, []), assistant(call("t")), user(result("t"))];
  expect(isChat(logBlocks(once))).toBe(true);
});

test("reports that a program puts together of many texts are none", () => {
  const said = ["Approve this?", "The run so far:", "It read a file.", "Then it asked.", "The policy:", "Reply now."];
  const report = (at: number) => user(text(`Request ${at}`), ...said.map((each) => text(each)));
  const reviews = Array.from({ length: 20 }, (_, at) => [report(at), assistant("allow")]).flat();
  expect(isChat(logBlocks(reviews))).toBe(false);
});

test("sentences are cut where they end, and short lines not at all", () => {
  const long =
    "The first sentence is about the harbour of Bergen. The second one speaks of trains! Yes. And the last one, which is the longest of them, tells nothing that anyone would want to know.";
  expect(sentencesOf(long, 100)).toEqual([
    "The first sentence is about the harbour of Bergen.",
    "The second one speaks of trains!",
    "Yes. And the last one, which is the longest of them, tells nothing that anyone would want to know.",
  ]);
  expect(sentencesOf("Short. Very short.", 100)).toEqual(["Short. Very short."]);
});

test("a ledger of any conversation keeps to its budget, and is the same each time", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme", maxLength: 300 }), { minLength: 8, maxLength: 40 }),
      fc.integer({ min: 100, max: 2_000 }),
      (texts, budgetTokens) => {
        const messages = texts.map((text, at) => (at % 2 === 0 ? user(text) : assistant(text)));
        const { text, tokens } = writeLedger(messages, { budgetTokens });
        expect(tokens).toBeLessThanOrEqual(budgetTokens);
        expect(writeLedger(structuredClone(messages), { budgetTokens }).text).toBe(text);
      },
    ),
    PROPERTY_RUNS,
  );
});
