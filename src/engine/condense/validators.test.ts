/** The validators of an engine: who may refuse a condensation. */
import { describe, expect, test, vi } from "vitest";
import { GOOD_SUMMARY } from "../../../test/support/handlers.ts";
import {
  engineWithoutLedger,
  hideMiddle,
  openSession,
  SMALL,
  strategy,
  talkOf,
  untyped,
} from "../../../test/support/sessions.ts";
import { type CondensationValidator, createBareEngine, type EngineOptions, type Message } from "../../index.ts";

const FULL = talkOf(20, 390);
const APOLOGY = "I'm sorry, I cannot help with that.";

function validator(validate: (...views: readonly unknown[]) => unknown): CondensationValidator {
  return { name: "mine", validate: (...views) => untyped(validate(...views)) };
}

/** Condenses by hand with what this engine has, and tells what came of it. */
async function condense(options: Partial<EngineOptions>) {
  const { engine, session } = await openSession({ condenser: strategy("s"), ...options }, { messages: FULL });
  const result = await session.condense();
  return { ...result, session, engine, faults: engine.getHistory().filter((entry) => entry.type === "fault") };
}

describe("validators", () => {
  const apologizes = strategy("apologizes", {
    condense: ({ messages }) => hideMiddle(messages, "fold", { summary: APOLOGY }),
  });
  const savesLittle = strategy("saves-little", {
    condense: ({ messages }) => hideMiddle(messages, "fold", { end: 4 }),
  });

  test("for tokens, quality and facts are there by default", async () => {
    expect((await condense({ condenser: apologizes })).error).toContain("summary-quality: The summary is a refusal");
    expect((await condense({ condenser: savesLittle })).error).toMatch(
      /tokens: It saves .* at least 20 % are demanded/,
    );
  });

  test("are none in a bare engine but those that are passed", async () => {
    const bare = createBareEngine({ ...SMALL, condenser: apologizes });
    expect((await bare.condense({ messages: FULL })).error).toBeUndefined();
    const strict = createBareEngine({
      ...SMALL,
      condenser: apologizes,
      validators: [validator(() => ({ isValid: false, issues: ["It is no summary."], score: 0 }))],
    });
    expect((await strict.condense({ messages: FULL })).error).toBe("It was refused: mine: It is no summary.");
  });

  test("are told the views before and after, and the summary", async () => {
    const validate = vi.fn(() => ({ isValid: true, issues: [], score: 0.8 }));
    await condense({ validators: [validator(validate)] });
    const [before, after, summary] = untyped(validate.mock.calls[0]);
    expect(before).toEqual(FULL);
    expect(after.map((message: Message) => message.id)).toEqual(["m0", "s-fold", "m17", "m18", "m19"]);
    expect(summary).toBe(GOOD_SUMMARY);
  });

  test("cannot change what the others are shown", async () => {
    const vandal = validator((...views) => untyped(views[0]).splice(0) && untyped(views[1]).splice(0));
    const lengths: number[][] = [];
    const witness = validator((before, after) => {
      lengths.push([untyped(before).length, untyped(after).length]);
      return { isValid: true, issues: [], score: 1 };
    });
    const { error } = await condense({ validators: [vandal, witness] });
    expect([error, lengths]).toEqual([undefined, [[20, 5]]]);
  });

  test("may be added later, and a failing one refuses: the log stays as it was", async () => {
    const engine = engineWithoutLedger({ condenser: strategy("s") });
    engine.registerValidator(validator(() => ({ isValid: false, issues: ["Ticket 42 is gone."], score: 0.1 })));
    const session = await engine.session("task", { messages: FULL });
    const result = await session.condense();
    expect(result).toMatchObject({ error: "It was refused: mine: Ticket 42 is gone.", cost: 0.5, summary: "" });
    expect(await session.log()).toEqual(FULL);
  });

  test("that throw or answer nonsense are passed over and reported", async () => {
    const broken = [
      () => {
        throw new Error("boom");
      },
      () => "fine",
      () => ({ isValid: "yes", issues: [], score: 7 }),
      () => Promise.reject(new Error("later")),
      (...views: readonly unknown[]) => untyped(views[0]).pop(),
    ];
    for (const each of broken) {
      const { error, faults } = await condense({ validators: [validator(each)] });
      expect([error, faults.length], String(each)).toEqual([undefined, 1]);
      expect(faults[0]).toMatchObject({ plugin: "s", error: expect.stringContaining("mine ") });
    }
  });

  test("are off where the configuration says so, a plugin's own included", async () => {
    const plugin = strategy("s", {
      condense: ({ messages }) => hideMiddle(messages, "fold", { summary: APOLOGY }),
      validate: () => ({ isValid: false, issues: ["no"], score: 0 }),
    });
    const result = await condense({ condenser: plugin, configuration: { validation: { enabled: false } } });
    expect([result.error, result.summary]).toEqual([undefined, APOLOGY]);
  });

  test("of a plugin count beside the others", async () => {
    const plugin = strategy("own", { validate: () => ({ isValid: false, issues: ["Not my best."], score: 0.2 }) });
    expect((await condense({ condenser: plugin })).error).toBe("It was refused: own: Not my best.");
  });

  test("demand what the rules say, also after a change", async () => {
    const engine = engineWithoutLedger({ condenser: savesLittle });
    engine.configure({ validation: { rules: { minSavingPercent: 1 } } });
    expect((await engine.condense({ messages: FULL })).error).toBeUndefined();
    engine.configure({ validation: { rules: { minSavingPercent: 99 } } });
    expect((await engine.condense({ messages: FULL })).error).toContain("at least 99 % are demanded");
  });

  test("refuse a summary that names too few of the critical facts, as many as the rules demand", async () => {
    const messages = FULL.map((message, index) =>
      index === 4
        ? {
            ...message,
            content: `Never touch src/auth/keys-${index}.ts, config/vault.yaml, PROD_TOKEN, --force or rotateAllKeys(). ${message.content}`,
          }
        : message,
    );
    const engine = engineWithoutLedger({ condenser: strategy("s") });
    engine.configure({ validation: { rules: { minFactSurvival: 1 } } });
    expect((await engine.condense({ messages })).error).toContain("critical facts can no longer be seen");
    engine.configure({ validation: { rules: { minFactSurvival: 0 } } });
    expect((await engine.condense({ messages })).error).toBeUndefined();
  });
});
