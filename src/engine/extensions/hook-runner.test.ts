import { describe, expect, test } from "vitest";
import { unmetFaults } from "../../../test/support/faults.ts";
import type { CondensationContext, CondensationResult } from "../../core/ports/condensation.ts";
import type { Hooks } from "../../core/ports/hooks.ts";
import type { PluginFault } from "./fault.ts";
import { createHookRunner } from "./hook-runner.ts";

const context: CondensationContext = {
  taskId: "task",
  messages: [],
  modelId: "model",
  profileId: "default",
  trigger: "auto",
  contextWindow: 100_000,
  prevContextTokens: 80_000,
  allowedTokens: 82_000,
  usedPercent: 80,
};
const condensed: CondensationResult = { messages: [], summary: "as written", cost: 0.01 };
const event = { taskId: "task", trigger: "manual", messages: [] } as const;

function runnerOf(...hooks: readonly Hooks[]) {
  const faults: PluginFault[] = [];
  const runner = createHookRunner(hooks, (fault) => faults.push(fault), { timeoutMs: 20 });
  return { runner, faults };
}

/** Hooks from JavaScript: they may answer anything. */
function odd(method: Exclude<keyof Hooks, "name">, answer: () => unknown): Hooks {
  return Object.assign({ name: "odd" }, { [method]: answer });
}

function fail(): never {
  throw new Error("out of order");
}

const never = () => new Promise<never>(() => {});

describe("preCompress", () => {
  test("tells all hooks, each after the one before has finished", async () => {
    const heard: string[] = [];
    const slow: Hooks = {
      name: "backup",
      async preCompress({ taskId, trigger }) {
        await new Promise((resolve) => setImmediate(resolve));
        heard.push(`backup of ${taskId}, ${trigger}`);
      },
    };
    const { runner, faults } = runnerOf(
      slow,
      { name: "none" },
      { name: "notice", preCompress: () => heard.push("notice") },
    );
    await runner.preCompress(event);
    expect(heard).toEqual(["backup of task, manual", "notice"]);
    expect(faults).toEqual([]);
  });

  test("goes on past hooks that throw, reject or never finish, and reports them", async () => {
    const heard: string[] = [];
    const { runner, faults } = runnerOf(
      { name: "throws", preCompress: fail },
      { name: "rejects", preCompress: async () => fail() },
      { name: "hangs", preCompress: never },
      { name: "sound", preCompress: () => heard.push("sound") },
    );
    await runner.preCompress(event);
    expect(heard).toEqual(["sound"]);
    expect(faults).toEqual([
      { plugin: "throws", error: "preCompress: out of order" },
      { plugin: "rejects", error: "preCompress: out of order" },
      { plugin: "hangs", error: "preCompress: It took longer than 20 ms." },
    ]);
  });
});

describe("before a condensation", () => {
  test("the first veto wins, and nobody is asked after it", async () => {
    const { runner, faults } = runnerOf(
      { name: "editor", beforeCondensation: () => ({ type: "edit", keepMessages: 9 }) },
      { name: "guard", beforeCondensation: async () => ({ type: "veto", reason: "deploying" }) },
      { name: "later", beforeCondensation: fail },
    );
    expect(await runner.beforeCondensation(context)).toEqual({ type: "veto", reason: "deploying" });
    expect(faults).toEqual([]);
  });

  test("edits are merged, and later ones win", async () => {
    const { runner } = runnerOf(
      { name: "first", beforeCondensation: () => ({ type: "edit", prompt: "Be brief.", keepMessages: 5 }) },
      { name: "silent", beforeCondensation: () => undefined },
      { name: "second", beforeCondensation: ({ usedPercent }) => ({ type: "edit", keepMessages: usedPercent }) },
    );
    expect(await runner.beforeCondensation(context)).toEqual({ type: "edit", prompt: "Be brief.", keepMessages: 80 });
  });

  test("there is no verdict where no hook has one", async () => {
    const { runner } = runnerOf({ name: "none" }, { name: "silent", beforeCondensation: () => undefined });
    expect(await runner.beforeCondensation(context)).toBeUndefined();
    expect(await runnerOf().runner.beforeCondensation(context)).toBeUndefined();
  });

  test.each([
    [null, "verdict is null; it must be an object."],
    [true, "verdict is true; it must be an object."],
    [{}, 'verdict.type is undefined; it must be "veto" or "edit".'],
    [{ type: "toString" }, 'verdict.type is "toString"; it must be "veto" or "edit".'],
    [{ type: "veto" }, "verdict.reason is undefined; it must be a string that is not blank."],
    [{ type: "edit", prompt: " " }, 'verdict.prompt is " "; it must be a string that is not blank.'],
    [
      { type: "edit", prompt: "ok", keepMessages: -1 },
      "verdict.keepMessages is -1; it must be a whole number of at least 0.",
    ],
    [
      { type: "edit", keepMessages: Number.NaN },
      "verdict.keepMessages is NaN; it must be a whole number of at least 0.",
    ],
  ])("the verdict %o is a fault, and the next hook decides", async (verdict, error) => {
    const sound: Hooks = { name: "sound", beforeCondensation: () => ({ type: "edit", keepMessages: 4 }) };
    const { runner, faults } = runnerOf(
      odd("beforeCondensation", () => verdict),
      sound,
    );
    expect(await runner.beforeCondensation(context)).toEqual({ type: "edit", keepMessages: 4 });
    expect(faults).toEqual([{ plugin: "odd", error: `beforeCondensation: ${error}` }]);
  });

  test("a verdict that breaks when it is read is a fault", async () => {
    const trap = {
      get type() {
        return fail();
      },
    };
    // biome-ignore lint/suspicious/noThenProperty: what only looks like a promise is one of the traps
    const thenable = { then: fail };
    const { runner, faults } = runnerOf(
      odd("beforeCondensation", () => trap),
      odd("beforeCondensation", () => thenable),
    );
    expect(await runner.beforeCondensation(context)).toBeUndefined();
    expect(faults).toHaveLength(2);
  });

  test("fields that belong to no verdict are left out", async () => {
    const { runner } = runnerOf(
      odd("beforeCondensation", () =>
        JSON.parse('{ "type": "edit", "prompt": "p", "__proto__": { "keepMessages": 1 } }'),
      ),
    );
    const verdict = await runner.beforeCondensation(context);
    expect(Object.keys(verdict ?? {})).toEqual(["type", "prompt"]);
    expect(Object.getPrototypeOf(verdict)).toBe(Object.prototype);
  });

  test("a hook that never answers, or rejects too late, is passed over", async () => {
    let reject: (error: Error) => void = () => {};
    const late = new Promise<never>((_, refuse) => {
      reject = refuse;
    });
    const { runner, faults } = runnerOf(
      { name: "hangs", beforeCondensation: () => late },
      { name: "guard", beforeCondensation: () => ({ type: "veto", reason: "deploying" }) },
    );
    expect(await runner.beforeCondensation(context)).toEqual({ type: "veto", reason: "deploying" });
    expect(faults).toEqual([{ plugin: "hangs", error: "beforeCondensation: It took longer than 20 ms." }]);
    reject(new Error("too late"));
    // an unhandled rejection would fail the run
    await new Promise((resolve) => setImmediate(resolve));
    expect(faults).toHaveLength(1);
  });
});

describe("after a condensation", () => {
  test("each hook is shown the summary as edited so far, and the last edit counts", async () => {
    const append = (name: string): Hooks => ({
      name,
      afterCondensation: (_, { summary, cost }) => ({ type: "edit", summary: `${summary} + ${name} at ${cost}` }),
    });
    const { runner } = runnerOf(append("a"), { name: "silent", afterCondensation: () => undefined }, append("b"));
    expect(await runner.afterCondensation(context, condensed)).toEqual({
      type: "edit",
      summary: "as written + a at 0.01 + b at 0.01",
    });
    expect(condensed.summary).toBe("as written");
  });

  test("the first veto wins over edits before it", async () => {
    const { runner } = runnerOf(
      { name: "editor", afterCondensation: () => ({ type: "edit", summary: "better" }) },
      { name: "guard", afterCondensation: (_, { summary }) => ({ type: "veto", reason: `${summary} is still bad` }) },
      { name: "later", afterCondensation: () => ({ type: "veto", reason: "me too" }) },
    );
    expect(await runner.afterCondensation(context, condensed)).toEqual({
      type: "veto",
      reason: "better is still bad",
    });
  });

  test.each([
    [{ type: "edit" }, "verdict.summary is undefined; it must be a string that is not blank."],
    [{ type: "edit", summary: "" }, 'verdict.summary is ""; it must be a string that is not blank.'],
    [{ type: "veto", reason: 5 }, "verdict.reason is 5; it must be a string that is not blank."],
    ["better", 'verdict is "better"; it must be an object.'],
  ])("the verdict %o is a fault", async (verdict, error) => {
    const { runner, faults } = runnerOf(odd("afterCondensation", () => verdict));
    expect(await runner.afterCondensation(context, condensed)).toBeUndefined();
    expect(faults).toEqual([{ plugin: "odd", error: `afterCondensation: ${error}` }]);
  });
});

describe("selecting a strategy", () => {
  const strategies = Object.freeze(["summary", "ledger"]);

  test("the first hook that names an offered strategy decides", async () => {
    const { runner, faults } = runnerOf(
      { name: "silent", selectStrategy: () => undefined },
      { name: "last", selectStrategy: async (_, offered) => offered.at(-1) },
      { name: "later", selectStrategy: fail },
    );
    expect(await runner.selectStrategy(context, strategies)).toBe("ledger");
    expect(faults).toEqual([]);
  });

  test("a name that was not offered is a fault, also where the hook adds it to its list", async () => {
    const adds = (offered: unknown) => {
      if (Array.isArray(offered)) offered.push("magic");
      return "magic";
    };
    const { runner, faults } = runnerOf(
      { name: "guesses", selectStrategy: (_, offered) => adds(offered) },
      odd("selectStrategy", () => 0),
    );
    expect(await runner.selectStrategy(context, strategies)).toBeUndefined();
    expect(faults).toEqual([
      { plugin: "guesses", error: 'selectStrategy: strategy is "magic"; it must be one of summary, ledger.' },
      { plugin: "odd", error: "selectStrategy: strategy is 0; it must be one of summary, ledger." },
    ]);
  });

  test("where none is offered, any name is a fault", async () => {
    const { runner, faults } = runnerOf({ name: "eager", selectStrategy: () => "summary" });
    expect(await runner.selectStrategy(context, [])).toBeUndefined();
    expect(faults[0]?.error).toContain("as none is offered");
  });
});

describe("registering", () => {
  test("adds hooks after the others; those added during a round join the next", async () => {
    const heard: string[] = [];
    const { runner } = runnerOf();
    const added: Hooks = { name: "added", preCompress: () => heard.push("added") };
    runner.register({
      name: "first",
      preCompress() {
        heard.push("first");
        if (heard.length === 1) runner.register(added);
      },
    });
    await runner.preCompress(event);
    expect(heard).toEqual(["first"]);
    await runner.preCompress(event);
    expect(heard).toEqual(["first", "first", "added"]);
  });

  test("refuses what are no hooks, naming the field", () => {
    const create = (input: unknown) => Reflect.apply(createHookRunner, undefined, [[input], () => {}]);
    const unmet = unmetFaults(create, [
      [null, /hooks is null; it must be an object/],
      [{ preCompress: fail }, /hooks\.name is undefined; it must be a string that is not blank/],
      [{ name: "", preCompress: fail }, /hooks\.name is ""/],
      [{ name: "odd", afterCondensation: "later" }, /hooks\.afterCondensation is "later"; it must be a function/],
      [{ name: "odd", selectStrategy: null }, /hooks\.selectStrategy is null; it must be a function/],
      [{ name: "fine" }, "answers"],
    ]);
    expect(unmet).toEqual([]);
  });

  test.each([0, -1, Number.NaN, 2 ** 31])("refuses a time limit of %d ms", (timeoutMs) => {
    expect(() => createHookRunner([], () => {}, { timeoutMs })).toThrow(/timeoutMs is .*from 1 to 2147483647/);
  });
});
