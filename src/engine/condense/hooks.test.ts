/** The hooks of an engine: who may veto or edit a condensation. */
import { describe, expect, test, vi } from "vitest";
import { GOOD_SUMMARY, good, handler, replies } from "../../../test/support/handlers.ts";
import {
  hideMiddle,
  openSession,
  problemsOf,
  SMALL,
  strategy,
  talkOf,
  untyped,
} from "../../../test/support/sessions.ts";
import { createEngine, type EngineOptions, type Hooks, modelCondenser } from "../../index.ts";

const FULL = talkOf(20, 390);
const APOLOGY = "I'm sorry, I cannot help with that.";
const OTHER_SUMMARY = GOOD_SUMMARY.replaceAll("rotate", "turn").replace("24 hours", () => "$& 48 hours");

/** Condenses by hand with what this engine has, and tells what came of it. */
async function condense(options: Partial<EngineOptions>) {
  const { engine, session } = await openSession({ condenser: strategy("s"), ...options }, { messages: FULL });
  const result = await session.condense();
  return { ...result, session, engine, faults: engine.getHistory().filter((entry) => entry.type === "fault") };
}

describe("before a condensation", () => {
  test("hooks are told the situation and may veto: no strategy runs, nothing is hidden", async () => {
    const plugin = strategy("s");
    const beforeCondensation = vi.fn(() => ({ type: "veto", reason: "A demo is running." }) as const);
    const { error, cost, session } = await condense({ condenser: plugin, hooks: [{ name: "h", beforeCondensation }] });
    expect([error, cost]).toEqual(["A hook vetoed it: A demo is running.", 0]);
    expect(plugin.runs).toEqual([]);
    expect(await session.log()).toEqual(FULL);
    expect(beforeCondensation).toHaveBeenCalledWith(
      expect.objectContaining({ taskId: "task", trigger: "manual", messages: FULL, contextWindow: 10_000 }),
    );
  });

  test("a veto does not keep the view from being truncated where it must be", async () => {
    const hooks: Hooks[] = [{ name: "h", beforeCondensation: () => ({ type: "veto", reason: "no" }) }];
    const messages = talkOf(24, 390);
    const { session } = await openSession({ condenser: strategy("s"), hooks }, { messages });
    const { report } = await session.prepare();
    expect(report.error).toBe("A hook vetoed it: no");
    expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
  });

  test("preCompress hears of each, by hand or automatic, before any model is asked", async () => {
    const events: unknown[] = [];
    const model = handler((request) => {
      events.push("asked");
      return good(request);
    });
    const hooks: Hooks[] = [{ name: "backup", preCompress: ({ taskId, trigger }) => events.push([taskId, trigger]) }];
    const { session } = await openSession({ condenser: modelCondenser(model), hooks }, { messages: FULL });
    await session.prepare();
    await session.append(...talkOf(10, 100));
    await session.condense();
    expect(events).toEqual([["task", "auto"], "asked", ["task", "manual"], "asked"]);
  });
});

describe("after a condensation", () => {
  test("a hook may veto: nothing is hidden, and what it cost is told", async () => {
    const afterCondensation = vi.fn(() => ({ type: "veto", reason: "It names a customer." }) as const);
    const { error, cost, session } = await condense({ hooks: [{ name: "h", afterCondensation }] });
    expect([error, cost]).toEqual(["A hook vetoed it: It names a customer.", 0.5]);
    expect(await session.log()).toEqual(FULL);
    expect(afterCondensation).toHaveBeenCalledWith(
      expect.objectContaining({ taskId: "task" }),
      expect.objectContaining({ summary: GOOD_SUMMARY, condenseId: "s-fold", cost: 0.5 }),
    );
  });

  test.each(["summary", "snapshot"] as const)(
    "a hook may edit a %s: the view shows the new text only",
    async (name) => {
      const snapshot = `<state_snapshot>${[
        "overall_goal",
        "key_knowledge",
        "file_system_state",
        "recent_actions",
        "current_plan",
      ]
        .map((tag) => `<${tag}>${GOOD_SUMMARY}</${tag}>`)
        .join("")}</state_snapshot>`;
      const model = handler(replies(name === "summary" ? GOOD_SUMMARY : snapshot));
      const { session, summary, error } = await condense({
        condenser: modelCondenser(model, { strategy: name }),
        hooks: [{ name: "editor", afterCondensation: () => ({ type: "edit", summary: OTHER_SUMMARY }) }],
        configuration: { validation: { enabled: false } },
      });
      expect([error, summary]).toEqual([undefined, OTHER_SUMMARY]);
      const view = JSON.stringify(await session.view());
      expect(view).toContain(JSON.stringify(OTHER_SUMMARY).slice(1, -1));
      expect(view).not.toContain("every 24 hours.");
      expect(await problemsOf(session, FULL)).toEqual([]);
      expect((await session.events())[0]).toMatchObject({ type: "condense_context", summary: OTHER_SUMMARY });
    },
  );

  test("an edited text passes the same checks", async () => {
    const { error } = await condense({
      hooks: [{ name: "editor", afterCondensation: () => ({ type: "edit", summary: APOLOGY }) }],
    });
    expect(error).toContain("The summary is a refusal");
  });

  test("an edit that cannot be made is refused, for the old text may hold what must not be seen", async () => {
    const plugin = strategy("s", {
      condense: ({ messages }) => ({ ...hideMiddle(messages, "fold"), summary: "other" }),
    });
    const { error } = await condense({
      condenser: plugin,
      configuration: { validation: { enabled: false } },
      hooks: [{ name: "editor", afterCondensation: () => ({ type: "edit", summary: OTHER_SUMMARY }) }],
    });
    expect(error).toContain("its text is not in the message that stands for it");
  });

  test("edits add up, and a later hook sees the text of the one before", async () => {
    const seen: string[] = [];
    const editor = (name: string): Hooks => ({
      name,
      afterCondensation: (_, { summary }) => {
        seen.push(summary.slice(-3));
        return { type: "edit", summary: `${summary} ${name}` };
      },
    });
    const { summary } = await condense({ hooks: [editor("one"), editor("two")] });
    expect(seen).toEqual([GOOD_SUMMARY.slice(-3), "one"]);
    expect(summary).toBe(`${GOOD_SUMMARY} one two`);
  });
});

describe("hooks", () => {
  test("that throw, answer nonsense or change what they are shown are passed over and reported", async () => {
    const boom = () => {
      throw new Error("boom");
    };
    const hostile: readonly Omit<Hooks, "name">[] = [
      { preCompress: boom, beforeCondensation: boom, afterCondensation: boom, selectStrategy: boom },
      { beforeCondensation: () => untyped("veto"), afterCondensation: () => untyped({ type: "edit" }) },
      { selectStrategy: () => "unheard-of" },
      {
        preCompress: (event) => untyped(event).messages.splice(0),
        beforeCondensation: (context) => {
          untyped(context).messages = [];
          return undefined;
        },
        afterCondensation: (_, result) => untyped(result).messages.pop(),
      },
      { beforeCondensation: (context) => untyped(context.messages[0]).content.push("x") },
    ];
    const counts = [4, 2, 1, 3, 1];
    for (const [index, each] of hostile.entries()) {
      const { error, session, faults } = await condense({ hooks: [{ name: "hostile", ...each }] });
      expect([index, error, faults.length]).toEqual([index, undefined, counts[index]]);
      expect(faults[0]).toMatchObject({ plugin: "hostile" });
      expect(await problemsOf(session, FULL)).toEqual([]);
    }
  });

  test("that never answer hold up nothing for longer than ten seconds each", async () => {
    vi.useFakeTimers();
    const never = () => new Promise<never>(() => {});
    const hooks = [
      { name: "h", preCompress: never, beforeCondensation: never, afterCondensation: never, selectStrategy: never },
    ];
    const pending = condense({ hooks });
    await vi.advanceTimersByTimeAsync(40_000);
    const { error, faults } = await pending;
    vi.useRealTimers();
    expect([error, faults.length]).toEqual([undefined, 4]);
  });

  test("are never called while they are switched off, and again when they are on", async () => {
    const called = vi.fn();
    const hook = {
      name: "h",
      preCompress: called,
      beforeCondensation: called,
      afterCondensation: called,
      selectStrategy: called,
    };
    const engine = createEngine({
      ...SMALL,
      condenser: strategy("s"),
      configuration: { monitoring: { hooks: false } },
    });
    engine.registerHook(hook);
    const session = await engine.session("task", { messages: FULL });
    await session.prepare();
    await engine.condense({ messages: FULL });
    expect(called).not.toHaveBeenCalled();
    engine.configure({ monitoring: { hooks: true } });
    await engine.condense({ messages: FULL });
    expect(called).toHaveBeenCalledTimes(4);
  });
});
