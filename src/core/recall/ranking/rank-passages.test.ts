import { describe, expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../../test/support/messages.ts";
import type { Message } from "../../message/message.ts";
import { createRecallIndex, type RecallIndexOptions } from "../recall-index.ts";
import { createSpeakers } from "./speakers.ts";

const WIDE = { budgetTokens: 50_000 };

/** The ids of the messages that are found, best first. */
function found(messages: readonly Message[], query: string, options: RecallIndexOptions = {}): readonly string[] {
  const hits = createRecallIndex(messages, { scope: "all", ...options }).recall(query, WIDE);
  return [...new Set(hits.map(({ messageId }) => messageId))];
}

const filler = (count: number) => Array.from({ length: count }, (_, at) => user(`nothing of note on day ${at} here`));

describe("function words", () => {
  test("do not count beside words that tell something", () => {
    const messages = log(
      user("what did you do with it when they were there, and how was that"),
      ...filler(9),
      user("zebra"),
    );
    expect(found(messages, "what did they do with the zebra")[0]).toBe("m10");
  });

  test("of another language than most speak tell who said it, in a talk", () => {
    const messages = log(...filler(9), user("il dort avec elle"), ...filler(9));
    expect(found(messages, "pourquoi avec elle ?", { isContinuous: false })).toEqual(["m9"]);
    expect(found(messages, "why with them, avec plaisir", { isContinuous: false })).toEqual(["m9"]);
    expect(found(messages, "why of day zero, with them", { isContinuous: false })).not.toContain("m9");
  });

  test("of the language that most speak do not count", () => {
    const messages = log(...filler(2), user("il dort avec elle"), user("elle chante avec lui"), user("une girafe"));
    expect(found(messages, "girafe avec elle", { isContinuous: false })).toEqual(["m4"]);
  });

  test("do not count in any language where an assistant works with tools", () => {
    const talk = [...filler(9), user("il dort avec elle"), ...filler(2)];
    const work = Array.from({ length: 13 }, (_, at) => [assistant(call(`c${at}`)), user(result(`c${at}`))]).flat();
    expect(found(log(...talk, ...work), "girafe avec elle", { isContinuous: false })).toEqual([]);
    expect(found(log(...talk, ...work.slice(2)), "girafe avec elle", { isContinuous: false })).toEqual(["m9"]);
  });

  test("count where a query has no others", () => {
    expect(found(log(...filler(5), user("who is who")), "who")[0]).toBe("m5");
  });
});

describe("words of a question", () => {
  test("that could be asked about anything count less", () => {
    const messages = log(user("kayak, a red one"), ...filler(9), user("she wants to keep it"));
    const alone = { isContinuous: false };
    expect(found(messages, "what did she want to keep, the kayak?", alone)[0]).toBe("m0");
    expect(found(messages, "want keep kayak", alone)[0]).toBe("m10");
  });

  test("that are names count more", () => {
    const messages = log(user("Laurent is here"), ...filler(9), user("dinner is ready"), ...filler(9));
    expect(found(messages, "what is for dinner, Laurent", { isContinuous: false })[0]).toBe("m0");
    expect(found(messages, "what is for dinner, laurent", { isContinuous: false })[0]).toBe("m10");
  });

  test("are found by what they are put together of, in German", () => {
    const messages = log(...filler(4), user("Ich hab es im Rücken"), ...filler(4));
    expect(found(messages, "Was macht er gegen die Rückenschmerzen", { isContinuous: false })).toEqual(["m4"]);
    expect(found(messages, "anything against rückenschmerzen", { isContinuous: false })).toEqual([]);
  });
});

test("a verb is found by its other forms, the form that was asked for first", () => {
  const messages = log(...filler(6), user("Anna gave it away"), ...filler(6), user("they give it away"), ...filler(6));
  const ranked = found(messages, "give", { isContinuous: false });
  expect(ranked).toEqual(["m13", "m6"]);
  expect(found(messages, "gave", { isContinuous: false })).toEqual(["m6", "m13"]);
});

describe("what stands around a match", () => {
  test("an answer is found by the question before it, though it has no word of the query", () => {
    const messages = log(...filler(6), user("Where does your cousin live?"), user("In Tallinn."), ...filler(6));
    const ranked = found(messages, "cousin live");
    expect(ranked.slice(0, 5)).toEqual(["m6", "m7", "m5", "m8", "m4"]);
    // Where there is room, what else was said around it.
    expect(ranked.slice(5)).toEqual(["m9", "m3", "m10"]);
  });

  test("of two equal messages the one among others about the same comes first", () => {
    const topic = ["the harbour crane stands", "oil for the harbour crane", "the crane needs paint"].map((said) =>
      user(said),
    );
    const messages = log(
      user("we inspect it in May"),
      ...topic,
      ...filler(60),
      user("we inspect it in June"),
      ...filler(3),
    );
    expect(found(messages, "when do we inspect the harbour crane").slice(0, 4)).toContain("m0");
    const ranked = found(messages, "harbour crane inspect");
    expect(ranked.indexOf("m0")).toBeLessThan(ranked.indexOf("m64"));
  });

  test("the lines below a match in a result come with it", () => {
    const lines = Array.from({ length: 120 }, (_, at) => `entry ${at} of the listing, size ${at * 7} in the folder`);
    lines[60] = "entry gazelle of the listing";
    const hits = createRecallIndex(log(assistant(call("t", "list", {})), user(result("t", lines.join("\n")))), {
      scope: "all",
    }).recall("gazelle", WIDE);
    const [best, ...others] = hits;
    expect(best?.text).toContain("gazelle");
    const beside = others.filter(({ messageId }) => messageId === "m1").slice(0, 2);
    const edges = beside.flatMap(({ firstLine, lastLine }) => [firstLine, lastLine]);
    expect(edges).toContain((best?.firstLine ?? 0) - 1);
    expect(edges).toContain((best?.lastLine ?? 0) + 1);
  });

  test("means nothing among messages that were collected", () => {
    const messages = log(user("Where does your cousin live?"), user("In Tallinn."), ...filler(6));
    expect(found(messages, "cousin", { isContinuous: false })).toEqual(["m0"]);
  });
});

describe("who says it", () => {
  const talk = log(
    ...["Anna: hello", "Tom: hello", "Anna: how are you", "Tom: fine", "Anna: good", "Tom: so"].map((said) =>
      user(said),
    ),
    user("Anna: the kayak is blue"),
    ...filler(6),
    user("Tom: the kayak is blue, too"),
    ...filler(6),
  );

  test("the message of the one whom the query names comes first", () => {
    expect(found(talk, "which colour is Anna's kayak")[0]).toBe("m6");
    expect(found(talk, "which colour is Tom's kayak")[0]).toBe("m13");
  });

  test("also where the name is a field of the message", () => {
    const named = (name: string, content: string): Message =>
      Object.assign({ role: "user" as const, content }, { name });
    const chatter = ["one", "two", "three"].flatMap((said) => [named("Anna", said), named("Tom", said)]);
    const messages = log(
      ...chatter,
      named("Anna", "the kayak is blue"),
      ...filler(6),
      named("Tom", "the kayak is blue, too"),
    );
    expect(found(messages, "Anna kayak")[0]).toBe("m6");
  });

  const advice = (topic: string) =>
    assistant(`About the ${topic}: ${"there are many ways to go about it. ".repeat(12)} The ${topic} matters.`);
  const help = log(
    ...Array.from({ length: 8 }, (_, at) => [user(`idea ${at} please`), advice("garden")]).flat(),
    user("I paid 45 for my telescope"),
    ...filler(6),
    assistant(`A telescope: I suggest a telescope with a tripod. ${"It depends on the sky and on you. ".repeat(12)}`),
  );

  test("what a person said counts more than what an assistant explains at length", () => {
    expect(found(help, "telescope")[0]).toBe("m16");
  });

  test("but not where the query asks for what the assistant said", () => {
    expect(found(help, "which telescope did you suggest")[0]).toBe("m23");
    expect(found(help, "can you tell me about my telescope")[0]).toBe("m16");
  });

  test("what an assistant answered at length speaks for the message that it answers", () => {
    const messages = log(
      ...Array.from({ length: 8 }, (_, at) => [user(`idea ${at} please`), advice("garden")]).flat(),
      user("It has a cracked lens."),
      advice("telescope"),
      ...filler(3),
    );
    const ranked = found(messages, "telescope");
    expect(ranked.indexOf("m16")).toBeLessThan(ranked.indexOf("m18"));
  });

  test.each(["what is my telescope called", "¿cómo se llama mi telescopio?", "我的望远镜叫什么"])(
    "what an assistant explains counts less for who asks about themselves: %s",
    (query) => {
      const speakers = createSpeakers();
      for (const message of help) speakers.add(message);
      const weights = ["is there a telescope", query].map((each) => speakers.weigherFor(each)(23, true));
      expect(weights).toEqual([0.3, 0.15]);
    },
  );
});

test("the words that the best matches share find more of the same", () => {
  const messages = log(
    user("the regatta takes place on the lagoon in June"),
    ...filler(8),
    user("for the regatta on the lagoon bring gloves"),
    ...filler(8),
    user("the lagoon is shallow at noon"),
    ...filler(8),
  );
  expect(found(messages, "regatta", { isContinuous: false })).toEqual(["m9", "m0", "m18"]);
});

test("a long id is named by the number that a ledger has for it, and expands by it", () => {
  const ids = ["6f9c1e1a-0000-4000-8000-000000000001", "6f9c1e1a-0000-4000-8000-000000000002"];
  const messages: readonly Message[] = ids.map((id, at) => ({ id, role: "user", content: `lamp ${at}` }));
  const index = createRecallIndex(messages, { scope: "all" });
  const [hit] = index.recall("lamp", WIDE);
  expect(hit).toMatchObject({ messageId: ids[1], shortId: "m1" });
  expect(index.expand("m1")[0]?.id).toBe(ids[1]);
  const mixed: readonly Message[] = [...messages, { id: "m1", role: "user", content: "another" }];
  expect(createRecallIndex(mixed, { scope: "all" }).recall("lamp", WIDE)[0]?.shortId).toBe(ids[1]);
});

describe("what a question asks for", () => {
  test.each([
    [
      "How many lamps hang in the hall?",
      "lamps hang in the hall, nine of them",
      "lamps hang in the hall, plenty of them",
    ],
    ["When were the lamps hung?", "the lamps were hung last Tuesday", "the lamps were hung with care"],
    ["Who hung the lamps?", "the lamps were hung by Priya", "the lamps were hung by someone"],
  ])("%s", (query, answer, other) => {
    const messages = log(...filler(3), user(answer), ...filler(6), user(other), ...filler(3));
    expect(found(messages, query, { isContinuous: false })[0]).toBe("m3");
  });
});

test("a thing is found by another word for it, after what is called by its name", () => {
  const messages = log(
    ...filler(6),
    user("our puppy ate a shoe"),
    ...filler(6),
    user("no pet may enter"),
    ...filler(6),
  );
  expect(found(messages, "Which pet does she have?", { isContinuous: false })).toEqual(["m13", "m6"]);
});

describe("a kind of things", () => {
  const messages = log(...filler(9), user("my left knee clicks on the stairs"), ...filler(9));

  test("finds a thing of this kind, but not the other way round", () => {
    expect(found(messages, "Which joint makes noises?")[0]).toBe("m9");
    expect(
      found(log(...filler(9), user("a joint venture"), ...filler(9)), "her knee", { isContinuous: false }),
    ).toEqual([]);
  });

  test("is only a word where an assistant works with tools", () => {
    const work = Array.from({ length: 20 }, (_, at) => [assistant(call(`c${at}`)), user(result(`c${at}`))]).flat();
    expect(found(log(...messages, ...work), "Which joint makes noises?", { isContinuous: false })).toEqual([]);
  });
});

test("what was said in the month that the query names comes first", () => {
  const at = (month: number, content: string): Message => ({ role: "user", ts: Date.UTC(2025, month - 1, 9), content });
  const messages = log(at(1, "we sailed to the lighthouse"), ...filler(9), at(6, "we sailed to the lighthouse again"));
  expect(found(messages, "Where did they sail in January?")[0]).toBe("m0");
  expect(found(messages, "Where did they sail in June?")[0]).toBe("m10");
});

test.each([
  ["где она купила машину", "Анна ездит на машине"],
  ["wann hat er die Häuser gekauft", "das Haus steht am Hafen"],
  ["wo steht der Schrank", "zwei Schränke und ein Tisch"],
  ["cuándo compró las casas", "la casa es grande"],
  ["onde está o gato", "dois gatos dormem"],
])("words are found by other endings than those of the query: %s", (query, said) => {
  expect(found(log(...filler(4), user(said), ...filler(4)), query, { isContinuous: false })).toContain("m4");
});

test("the endings of other languages are not put to English words", () => {
  const messages = log(...filler(4), user("he cared for it"), ...filler(4));
  expect(found(messages, "where is the carer", { isContinuous: false })).toEqual([]);
});
