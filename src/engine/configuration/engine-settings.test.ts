/** What the settings of an engine do to its sessions. */
import { describe, expect, test } from "vitest";
import { good, handler } from "../../../test/support/handlers.ts";
import { user } from "../../../test/support/messages.ts";
import { openSession, problemsOf, SMALL, strategy, talkOf, toolLoop, untyped } from "../../../test/support/sessions.ts";
import { type Configuration, createEngine, type EngineOptions, modelCondenser } from "../../index.ts";

const FULL = talkOf(20, 390);
const OVERFULL = talkOf(24, 390);

const failing = () =>
  strategy("failing", {
    condense: ({ messages }) => ({ messages, summary: "", cost: 0.25, error: "overloaded", modelCalls: 1 }),
  });

describe("the configuration", () => {
  test("is refused with path, value and what is allowed, one line per fault", () => {
    const configuration = untyped({ thresholds: { global: 500 }, strategies: { primary: "magic" }, validaton: {} });
    expect(() => createEngine({ ...SMALL, configuration })).toThrow(
      [
        "configuration.validaton is not a setting; the nearest is validation.",
        "configuration.thresholds.global is 500; it must be a number from 5 to 100.",
        'configuration.strategies.primary is "magic"; it must be "llm", "truncation" or "hybrid".',
      ].join("\n"),
    );
  });

  test("may be changed at run time, for open sessions too; a faulty change changes nothing", async () => {
    const { session, engine } = await openSession({ condenser: strategy("s") }, { messages: talkOf(10, 390) });
    expect((await session.prepare()).report.foldIds).toEqual([]);
    expect(() => engine.configure({ thresholds: { global: 1 } })).toThrow("configuration.thresholds.global is 1");
    expect((await session.prepare()).report.foldIds).toEqual([]);
    const resolved = engine.configure({ thresholds: { global: 30 } });
    expect(resolved).toMatchObject({ thresholds: { global: 30 }, strategies: { primary: "hybrid" } });
    expect((await session.prepare()).report.foldIds).toEqual(["s-fold"]);
  });
});

describe("the threshold", () => {
  /** Which of several prompts are condensed, by how many percent of the window they fill. */
  async function condensedShares(options: Partial<EngineOptions>, profileId = "default") {
    // Each message says how long it is.
    const countTokens = (content: unknown) => Number(content) || 10;
    const window = { contextWindow: 100_000, maxTokens: 1_000, countTokens };
    const found: { usedPercent: number; isCondensed: boolean; warnings: readonly string[] }[] = [];
    for (let percent = 12; percent <= 84; percent += 1) {
      const messages = Array.from({ length: 10 }, () => user(String(percent * 100)));
      const condenser = strategy("s");
      const { session } = await openSession({ ...window, condenser, ...options }, { messages, profileId });
      const { prevUsedPercent: usedPercent, warnings } = (await session.prepare()).report;
      found.push({ usedPercent, isCondensed: condenser.runs.length > 0, warnings });
    }
    return found;
  }

  async function expectThreshold(percent: number, options: Partial<EngineOptions>, profileId?: string) {
    const shares = await condensedShares(options, profileId);
    const wrong = shares.filter(({ usedPercent, isCondensed }) => isCondensed !== usedPercent >= percent);
    expect(wrong).toEqual([]);
    expect(new Set(shares.map(({ isCondensed }) => isCondensed)).size).toBe(2);
    return shares.flatMap(({ warnings }) => warnings)[0];
  }

  test.each([
    ["claude-opus-4-1", 80],
    ["claude-sonnet-4-5", 75],
    ["claude-haiku-4-5", 60],
    ["gpt-4-turbo", 70],
    ["gpt-3.5-turbo", 50],
    ["anything-else", 75],
  ])("of %s is %d %%", async (model, percent) => {
    const configuration = { thresholds: { adaptive: false } };
    expect(await expectThreshold(percent, { model, configuration })).toBeUndefined();
  });

  test("may be set for all models, for a profile, and by a resolver", async () => {
    const configuration = { thresholds: { global: 40, profiles: { work: 20, home: -1, odd: 300 } } };
    expect(await expectThreshold(40, { configuration })).toBeUndefined();
    expect(await expectThreshold(20, { configuration }, "work")).toBeUndefined();
    expect(await expectThreshold(40, { configuration }, "home")).toBeUndefined();
    expect(await expectThreshold(40, { configuration }, "odd")).toContain('threshold of profile "odd" is 300');
    await expectThreshold(60, { configuration, resolvers: { threshold: () => 60 } }, "work");
    await expectThreshold(20, { configuration, resolvers: { threshold: () => undefined } }, "work");
  });

  test("of a resolver may depend on the conversation; one that makes no sense is reported and passed over", async () => {
    const seen: unknown[] = [];
    const threshold = (context: { readonly messages: readonly unknown[]; readonly usedPercent: number }) => {
      seen.push([context.messages.length, context.usedPercent > 0]);
      return 1_000;
    };
    const { session, engine } = await openSession(
      { condenser: strategy("s"), resolvers: { threshold } },
      { messages: FULL },
    );
    expect((await session.prepare()).report.foldIds).toEqual(["s-fold"]);
    expect(seen[0]).toEqual([20, true]);
    expect(engine.getHistory()[0]).toMatchObject({
      type: "fault",
      plugin: "resolvers",
      error: expect.stringContaining("1000"),
    });
  });
});

test("a threshold is asked for once per view that fits", async () => {
  let asked = 0;
  const threshold = () => {
    asked += 1;
    return undefined;
  };
  const { session } = await openSession(
    { condenser: strategy("s"), resolvers: { threshold } },
    { messages: talkOf(4, 20) },
  );
  await session.prepare();
  await session.prepare();
  expect(asked).toBe(2);
});

test("resolvers that change what they are shown are reported and passed over", async () => {
  const vandal = (context: unknown) => {
    untyped(context).allowedTokens = 1;
    return undefined;
  };
  const resolvers = { threshold: vandal, truncationSelection: vandal };
  const { session, engine } = await openSession({ resolvers }, { messages: OVERFULL });
  await session.prepare();
  const faults = engine.getHistory().filter((entry) => entry.type === "fault");
  expect(new Set(faults.map(({ error }) => error.split(":")[0]))).toEqual(
    new Set(["threshold", "truncationSelection"]),
  );
  expect(await problemsOf(session, OVERFULL)).toEqual([]);
});

describe("the primary strategy", () => {
  // 14 results of 600 tokens: with the oldest four cleared, the prompt is at its target.
  const messages = toolLoop(14, 550);
  const prepared = async (primary: "llm" | "truncation" | "hybrid", log = messages) => {
    const model = handler(good);
    const { session } = await openSession(
      { condenser: modelCondenser(model), configuration: { strategies: { primary } } },
      { messages: log },
    );
    const { report } = await session.prepare();
    const kinds = report.foldIds.map((foldId) => foldId.split("-")[0]);
    return { kinds, asked: model.asked.length, session, report };
  };

  test("hybrid folds tool results first, and asks no model where that is enough", async () => {
    const many = toolLoop(40, 190);
    expect(await prepared("hybrid", many)).toMatchObject({ kinds: ["clear"], asked: 0 });
  });

  test("hybrid condenses where folding tool results is not enough", async () => {
    const { kinds, asked, session } = await prepared("hybrid");
    expect({ kinds, asked }).toEqual({ kinds: ["clear", "condense"], asked: 1 });
    expect((await session.events()).map((event) => event.type)).toEqual(["blocks_folded", "condense_context"]);
    expect(await problemsOf(session, messages)).toEqual([]);
  });

  test("llm condenses at once", async () => {
    const { kinds, asked } = await prepared("llm", toolLoop(40, 190));
    expect({ kinds, asked }).toEqual({ kinds: ["condense"], asked: 1 });
  });

  test("truncation never asks a model, automatically or by hand", async () => {
    const { kinds, asked, session, report } = await prepared("truncation", OVERFULL);
    expect({ kinds, asked }).toEqual({ kinds: ["truncate"], asked: 0 });
    expect(report.error).toBeUndefined();
    expect((await session.condense()).error).toBe('Condensing is off: strategies.primary is "truncation".');
  });
});

describe("clearing", () => {
  const many = toolLoop(40, 190);
  const cleared = async (clear: NonNullable<NonNullable<Configuration["strategies"]>["clear"]>) => {
    const { session } = await openSession({ configuration: { strategies: { clear } } }, { messages: many });
    const { report, messages } = await session.prepare();
    expect(await problemsOf(session, many)).toEqual([]);
    return { kinds: report.foldIds.map((foldId) => foldId.split("-")[0]), view: JSON.stringify(messages) };
  };

  test("shows what the stubs are told to say", async () => {
    const { kinds, view } = await cleared({ placeholder: "an old file" });
    expect(kinds).toEqual(["clear"]);
    expect(view).toContain("an old file");
    expect(view).not.toContain("read_file(");
  });

  test("leaves the results of excluded tools", async () => {
    expect((await cleared({ excludeTools: ["run_command"] })).kinds).toEqual(["clear"]);
    expect((await cleared({ excludeTools: ["read_file"] })).kinds).toEqual(["truncate"]);
  });

  test("is refused what is no list of names", () => {
    for (const excludeTools of ["read_file", [5], [""]]) {
      const configuration = untyped({ strategies: { clear: { excludeTools } } });
      expect(() => createEngine({ ...SMALL, configuration })).toThrow(
        /strategies\.clear\.excludeTools is .*; it must be a list of names/,
      );
    }
  });
});

describe("the fallback", () => {
  const prepare = (condenser: ReturnType<typeof strategy>, messages = OVERFULL) =>
    openSession({ condenser, configuration: { strategies: { fallback: "error" } } }, { messages });

  test("error refuses with the numbers and the cause, and leaves the log untouched", async () => {
    const { session } = await prepare(failing());
    const before = await session.log();
    await expect(session.prepare()).rejects.toMatchObject({
      code: "cannot-fit",
      message: expect.stringMatching(
        /^The prompt has \d+ tokens, but a window of 10000 with 1000 for the reply allows 8\d\d\d\. Condensing did not help \(overloaded\)/,
      ),
    });
    expect(await session.log()).toEqual(before);
  });

  test("error undoes what was folded on the way", async () => {
    const messages = toolLoop(24, 850);
    const { session } = await prepare(failing(), messages);
    await expect(session.prepare()).rejects.toMatchObject({ code: "cannot-fit" });
    expect(await session.log()).toEqual(messages);
    expect((await session.events()).map((event) => event.type)).toEqual([
      "blocks_folded",
      "condense_failed",
      "restored",
    ]);
  });

  test("error asks again at the next call, for there is no other way", async () => {
    const condenser = failing();
    const { session, engine } = await prepare(condenser);
    await expect(session.prepare()).rejects.toThrow("overloaded");
    await expect(session.prepare()).rejects.toThrow("overloaded");
    expect(condenser.runs.length).toBe(2);
    engine.configure({ strategies: { fallback: "truncation" } });
    expect((await session.prepare()).report.foldIds[0]).toMatch(/^truncate-/);
  });

  test("error has nothing to refuse where the prompt fits, or condensing helps", async () => {
    const { session } = await prepare(failing(), FULL);
    expect((await session.prepare()).report.error).toBe("overloaded");
    const { session: other } = await prepare(strategy("s"));
    expect((await other.prepare()).report.foldIds).toEqual(["s-fold"]);
  });

  test("truncation hides what a resolver selects", async () => {
    const truncationSelection = () => ({ type: "keepLast", count: 4 }) as const;
    const { session } = await openSession({ resolvers: { truncationSelection } }, { messages: OVERFULL });
    const { messages } = await session.prepare();
    expect(messages.map((message) => message.id).slice(2)).toEqual(["m20", "m21", "m22", "m23"]);
  });
});
