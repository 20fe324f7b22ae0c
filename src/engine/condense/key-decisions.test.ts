/** What was decided stays visible beside a summary, like what a person marked, within a bound. */
import { describe, expect, test } from "vitest";
import { GOOD_SNAPSHOT, GOOD_SUMMARY, handler, replies } from "../../../test/support/handlers.ts";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import { openSession, problemsOf, prose } from "../../../test/support/sessions.ts";
import { ChatCompressionService, summarizeConversation } from "../../compat/index.ts";
import { validateView } from "../../core/index.ts";
import { getEffectiveApiHistory, type Message, modelCondenser, restoreAllMessages } from "../../index.ts";

const DECISION = "We decided to keep SQLite as the default store";
const STRATEGIES = { summary: GOOD_SUMMARY, snapshot: GOOD_SNAPSHOT } as const;

/** A talk of so many turns of about 300 tokens; those named hold a decision instead. */
function talk(turns: number, decided: readonly number[], text = DECISION): readonly Message[] {
  return log(
    ...Array.from({ length: turns }, (_, index) => {
      const said = decided.includes(index) ? `${text}, point ${index}.` : prose(300, `turn ${index}`);
      return index % 2 === 0 ? user(said) : assistant(said);
    }),
  );
}

/** The numbers of the points that the view shows as they were said. */
function pointsIn(view: readonly Message[]): readonly number[] {
  const said = view.filter(({ isSummary }) => isSummary !== true);
  return [...JSON.stringify(said).matchAll(/, point (\d+)\./g)].map((match) => Number(match[1]));
}

async function condensed(strategy: keyof typeof STRATEGIES, messages: readonly Message[], keepDecisions?: boolean) {
  const condenser = modelCondenser(handler(replies(STRATEGIES[strategy])), { strategy, keepDecisions });
  const { session } = await openSession({ contextWindow: 100_000, condenser });
  await session.append(...messages);
  const { error } = await session.condense();
  expect(error).toBeUndefined();
  expect(await problemsOf(session, messages)).toEqual([]);
  return session.view();
}

describe.each(["summary", "snapshot"] as const)("beside a %s", (strategy) => {
  test("what either side decided stays as it was said", async () => {
    expect(pointsIn(await condensed(strategy, talk(40, [5, 6, 13])))).toEqual([5, 6, 13]);
  });

  test("the eight newest decisions stay, as long as each is short", async () => {
    const many = Array.from({ length: 12 }, (_, index) => 2 * index + 1);
    expect(pointsIn(await condensed(strategy, talk(100, many)))).toEqual(many.slice(4));
    const long = `${DECISION}: ${prose(320, "for these reasons")}`;
    expect(pointsIn(await condensed(strategy, talk(40, [5], long)))).toEqual([]);
  });

  test("decisions take no more than a tenth of what is hidden, the newest first", async () => {
    const wordy = `${DECISION}: ${prose(200, "for these reasons")}`;
    expect(pointsIn(await condensed(strategy, talk(40, [3, 5, 7, 9, 11, 13], wordy)))).toEqual(
      strategy === "summary" ? [7, 9, 11, 13] : [9, 11, 13],
    );
  });

  test("a decision beside a call stays with its call and its result, where they are short together", async () => {
    const calls = (size: number) => [
      assistant(`${DECISION}, point 1.`, call("t", "run_command", { command: "make" })),
      user(result("t", prose(size, "built"))),
    ];
    const around = (size: number) => log(...talk(4, []), ...calls(size), ...talk(40, []));
    const view = await condensed(strategy, around(100));
    expect(pointsIn(view)).toEqual([1]);
    expect(JSON.stringify(view)).toContain("built: apple");
    expect(pointsIn(await condensed(strategy, around(500)))).toEqual([]);
  });

  test("a decision beside a call whose result is among the newest goes with its call", async () => {
    const messages = log(
      ...talk(40, []),
      user("And now?"),
      assistant(`${DECISION}, point 1.`, call("t", "run_command", { command: "make" })),
      user(result("t", "built")),
      assistant("It is built."),
      user("Good."),
    );
    const view = await condensed(strategy, messages);
    expect(JSON.stringify(view).match(/"type":"tool_use"/g)).toHaveLength(1);
  });

  test("what a tool returned is no decision, and a summary is none", async () => {
    const returned = log(
      ...talk(4, []),
      assistant(call("t", "read_file", { path: "NOTES.md" })),
      user(result("t", `${DECISION}, point 1.`)),
      ...talk(40, []),
    );
    expect(pointsIn(await condensed(strategy, returned))).toEqual([]);
  });

  test("nothing stays where that is switched off", async () => {
    expect(pointsIn(await condensed(strategy, talk(40, [5, 6, 13]), false))).toEqual([]);
  });

  test("what was decided meanwhile takes the place of older decisions in the next one", async () => {
    const condenser = modelCondenser(handler(replies(STRATEGIES[strategy])), { strategy });
    const { session } = await openSession({ contextWindow: 100_000, condenser });
    const rounds = [1, 2, 3].map((round) =>
      talk(60, [1, 3, 5, 7, 9]).map((message) => ({ ...message, id: `${round}-${message.id}` })),
    );
    for (const round of rounds) {
      await session.append(...round);
      expect((await session.condense()).error).toBeUndefined();
      expect(pointsIn(await session.view()).length).toBeLessThanOrEqual(8);
    }
    expect(pointsIn(await session.view())).toEqual([5, 7, 9, 1, 3, 5, 7, 9]);
    expect(await problemsOf(session, rounds.flat())).toEqual([]);
  });
});

describe("in a hybrid", () => {
  test("what either side decided is quoted as it was said", async () => {
    const condenser = modelCondenser(handler(replies(GOOD_SUMMARY)), { strategy: "hybrid" });
    const { session } = await openSession({ contextWindow: 100_000, condenser });
    const messages = talk(40, [5, 6, 13]);
    await session.append(...messages);
    expect((await session.condense()).error).toBeUndefined();
    const view = JSON.stringify(await session.view());
    for (const point of [5, 6, 13]) expect(view).toContain(`${DECISION}, point ${point}.`);
    expect(await problemsOf(session, messages)).toEqual([]);
  });
});

describe("behind the snapshot of ChatCompressionService", () => {
  async function compressed(messages: readonly Message[], keepDecisions?: boolean) {
    const given = keepDecisions === undefined ? {} : { keepDecisions };
    const service = new ChatCompressionService({ handlerFor: () => handler(replies(GOOD_SNAPSHOT)), ...given });
    const { newHistory, messages: after } = await service.compress({ messages, model: "any", force: true });
    expect(newHistory?.[0]?.isSummary).toBe(true);
    expect(validateView(newHistory ?? [])).toEqual([]);
    expect(JSON.stringify(restoreAllMessages(after))).toBe(JSON.stringify(messages));
    return pointsIn(newHistory ?? []);
  }

  test("what either side decided stays as it was said", async () => {
    expect(await compressed(talk(40, [5, 6, 13]))).toEqual([5, 6, 13]);
  });

  test("the eight newest stay, within a tenth of what is hidden", async () => {
    const many = Array.from({ length: 12 }, (_, index) => 2 * index + 1);
    expect(await compressed(talk(100, many))).toEqual(many.slice(4));
    const wordy = `${DECISION}: ${prose(200, "for these reasons")}`;
    expect(await compressed(talk(40, [3, 5, 7, 9, 11, 13], wordy))).toEqual([9, 11, 13]);
  });

  test("nothing stays where that is switched off", async () => {
    expect(await compressed(talk(40, [5, 6, 13]), false)).toEqual([]);
  });
});

describe("summarizeConversation", () => {
  const model = handler(replies(GOOD_SUMMARY));
  const summarize = (messages: readonly Message[], keepsDecisions?: boolean) =>
    summarizeConversation(messages, model, "", "task", 20_000, false, undefined, undefined, false, keepsDecisions);

  test("keeps what was decided, unless it is told to keep only what it names", async () => {
    const messages = talk(40, [5, 6]);
    expect(pointsIn(getEffectiveApiHistory((await summarize(messages)).messages))).toEqual([5, 6]);
    const bare = getEffectiveApiHistory((await summarize(messages, false)).messages);
    expect(bare.map(({ id }) => id)).toEqual(["m0", expect.stringMatching(/^condense-/), "m37", "m38", "m39"]);
  });

  test("hides decisions where else there would be too little to hide", async () => {
    const messages = [...talk(1, []), ...talk(6, [1, 2, 3, 4, 5]).slice(1), ...talk(3, [])];
    const { error, messages: after } = await summarize(messages);
    expect(error).toBeUndefined();
    expect(pointsIn(getEffectiveApiHistory(after))).toEqual([]);
  });
});
