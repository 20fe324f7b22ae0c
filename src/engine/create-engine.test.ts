import { describe, expect, test } from "vitest";
import { GOOD_SUMMARY, good, handler } from "../../test/support/handlers.ts";
import { engineWithoutLedger, SMALL, strategy, talkOf, untyped } from "../../test/support/sessions.ts";
import {
  createEngine,
  createModelRegistry,
  type EngineOptions,
  getEffectiveApiHistory,
  modelCondenser,
} from "../index.ts";

const FULL = talkOf(20, 390);

const failing = () =>
  strategy("failing", {
    condense: ({ messages }) => ({ messages, summary: "", cost: 0.25, error: "overloaded", modelCalls: 1 }),
  });

describe("an engine", () => {
  test.each<[unknown, string]>([
    [undefined, "options is undefined; it must be an object."],
    [{}, 'model is undefined; it must be a model id such as "claude-sonnet-4-6", or a model entry.'],
    [{ model: "" }, 'model is ""; it must be a model id such as "claude-sonnet-4-6", or a model entry.'],
    [
      { model: "m", contextwindow: 8_000 },
      "options.contextwindow is not an option. The options are model, contextWindow, ",
    ],
    [{ model: "m", store: "sessions.db" }, 'options.store is "sessions.db"; it must be a store, such as sqliteStore('],
    [{ model: "m", contextWindow: 0 }, "contextWindow is 0; it must be a number of at least 1."],
    [{ model: "m", maxTokens: -1 }, "maxTokens is -1; it must be a number of at least 0."],
    [{ model: "m", condenser: {} }, "plugin.name is undefined; it must be a string that is not blank."],
    [{ model: "m", validators: 5 }, "options.validators is 5; it must be an array."],
    [{ model: "m", validators: [{ name: "v" }] }, "validator.validate is undefined; it must be a function."],
    [{ model: "m", hooks: [{ name: "h", preCompress: 5 }] }, "hooks.preCompress is 5; it must be a function."],
    [{ model: "m", resolvers: { prompt: 5 } }, "resolvers.prompt is 5; it must be a function."],
    [{ model: "m", telemetry: {} }, "options.telemetry is an object; it must be an array."],
    [
      { model: "m", telemetry: [{ onCondensationStart: 5 }] },
      "options.telemetry[0].onCondensationStart is 5; it must be a function.",
    ],
    [{ model: "m", log: 5 }, "options.log is 5; it must be a function."],
    [{ model: "m", registry: {} }, "options.registry.find is undefined; it must be a function."],
    [{ model: "m", countTokens: 5 }, "countTokens is 5; it must be a function."],
    [{ model: "m", now: 5 }, "options.now is 5; it must be a function."],
  ])("refuses %j", (options, message) => {
    expect(() => createEngine(untyped(options))).toThrow(message);
  });

  test("opens a session once, and gives the same one again", async () => {
    const engine = createEngine(SMALL);
    const [first, again] = await Promise.all([engine.session("a", { messages: FULL }), engine.session("a")]);
    expect(again).toBe(first);
    expect(first.id).toBe("a");
    expect(await again.log()).toEqual(FULL);
    await expect(engine.session("")).rejects.toThrow('id is ""; it must be a string that is not empty.');
  });

  test.each<[unknown, string]>([
    [{ messages: "hi" }, 'messages is "hi"; it must be an array of messages.'],
    [{ messages: [{ role: "robot", content: "" }] }, 'messages[0].role is "robot"; it must be "user" or "assistant".'],
    [
      { system: "Be brief." },
      "options.system is not an option. The options are systemPrompt, tools, messages, profileId, workspace.",
    ],
    [{ systemPrompt: 5 }, "options.systemPrompt is 5; it must be a string."],
    [{ tools: {} }, "options.tools is an object; it must be an array."],
    [{ profileId: 5 }, "options.profileId is 5; it must be a string."],
  ])("refuses to open a session with %j", async (options, message) => {
    const engine = createEngine(SMALL);
    await expect(engine.session("a", untyped(options))).rejects.toThrow(message);
    expect((await engine.session("a")).id).toBe("a");
  });

  test("knows windows and defaults from a registry of your own, or an entry", async () => {
    const entry = {
      id: "house-model",
      contextWindow: 50_000,
      inputLimitTokens: 20_000,
      outputLimitTokens: 8_000,
      pricesUsdPerMillion: { type: "unknown" },
      cacheTtlMs: 0,
      takesImages: false,
      requiresReasoningBack: false,
    } as const;
    const reportOf = async (options: EngineOptions) =>
      (await (await createEngine(options).session("a")).prepare()).report;
    const expected = { contextWindow: 50_000, allowedTokens: 18_000 };
    expect(await reportOf({ model: "house-model", registry: createModelRegistry([entry]) })).toMatchObject(expected);
    expect(await reportOf({ model: entry })).toMatchObject(expected);
    expect(await reportOf({ model: "claude-sonnet-4-5" })).toMatchObject({
      contextWindow: 200_000,
      allowedTokens: 171_808,
    });
  });

  test("keeps the conversations of its sessions apart, however they interleave", async () => {
    const options = { ...SMALL, condenser: strategy("s"), now: () => 0 };
    const talks = ["a", "b", "c"].map((id) => ({
      id,
      messages: talkOf(26, 390).map((each) => ({ ...each, id: `${id}-${each.id}` })),
    }));
    const run = async (engine: ReturnType<typeof createEngine>, { id, messages }: (typeof talks)[number]) => {
      const session = await engine.session(id);
      const views: string[] = [];
      for (const message of messages) {
        await session.append(message);
        views.push(JSON.stringify((await session.prepare()).messages));
      }
      return views;
    };
    const shared = createEngine(options);
    const together = await Promise.all(talks.map((talk) => run(shared, talk)));
    const alone = await Promise.all(talks.map((talk) => run(createEngine(options), talk)));
    expect(together).toEqual(alone);
  });
});

describe("condensing outside of a session", () => {
  test("gives the condensed log, and leaves what was given alone", async () => {
    const engine = createEngine({ ...SMALL, condenser: modelCondenser(handler(good), { strategy: "summary" }) });
    const {
      error,
      messages,
      summary,
      newContextTokens = 0,
      condenseId,
    } = await engine.condense({ messages: FULL, taskId: "t" });
    expect([error, summary]).toEqual([undefined, GOOD_SUMMARY]);
    expect(getEffectiveApiHistory(messages).map((message) => message.id)).toEqual([
      "m0",
      condenseId,
      "m17",
      "m18",
      "m19",
    ]);
    expect(newContextTokens).toBeLessThan(3_000);
    expect(FULL.some((message) => message.condenseParent !== undefined)).toBe(false);
    expect(await (await engine.session("t")).log()).toEqual([]);
  });

  test("tells hooks what triggered it", async () => {
    const triggers: string[] = [];
    const hooks = [{ name: "h", preCompress: ({ trigger }: { trigger: string }) => triggers.push(trigger) }];
    const engine = createEngine({ ...SMALL, condenser: strategy("s"), hooks });
    await engine.condense({ messages: FULL });
    await engine.condense({ messages: FULL, trigger: "auto" });
    expect(triggers).toEqual(["manual", "auto"]);
  });

  test("with an error gives back the log as it was", async () => {
    const engine = engineWithoutLedger({ condenser: failing() });
    expect(await engine.condense({ messages: FULL })).toEqual({
      messages: FULL,
      summary: "",
      cost: 0.25,
      error: "overloaded",
      modelCalls: 1,
    });
    await expect(engine.condense(untyped(undefined))).rejects.toThrow("request is undefined");
    await expect(engine.condense(untyped({}))).rejects.toThrow("messages is undefined");
  });
});

describe("plugins", () => {
  test("may be registered and unregistered while a session is open", async () => {
    const engine = engineWithoutLedger({});
    const session = await engine.session("a", { messages: FULL });
    expect((await session.prepare()).report.foldIds).toEqual([]);
    engine.registerPlugin(strategy("late"));
    expect(() => engine.registerPlugin(strategy("late"))).toThrow('A plugin named "late" is registered already.');
    expect((await session.prepare()).report.foldIds).toEqual(["late-fold"]);
    expect([engine.unregisterPlugin("late"), engine.unregisterPlugin("late")]).toEqual([true, false]);
  });
});
