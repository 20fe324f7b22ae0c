/** Plugins are other people's code: whatever they do, nothing is lost and the session goes on. */
import { describe, expect, test, vi } from "vitest";
import { assistant, call, result as toolResult, user } from "../../../test/support/messages.ts";
import {
  type CondenseRun,
  hideMiddle,
  openSession,
  problemsOf,
  strategy,
  talkOf,
  toolLoop,
  untyped,
} from "../../../test/support/sessions.ts";
import { truncateConversation } from "../../core/index.ts";
import type { CondensationResult } from "../../index.ts";

const OVERFULL = talkOf(24, 390);
const hidden = (messages: CondensationResult["messages"]) => hideMiddle(messages, "fold");

/** Changes one message of an honest result. */
const changing =
  (change: object) =>
  ({ messages }: CondenseRun) => {
    const { messages: condensed, ...rest } = hidden(messages);
    return {
      ...rest,
      messages: condensed.map((message, index) => (index === 5 ? { ...message, ...change } : message)),
    };
  };

const HOSTILE: Readonly<Record<string, (run: CondenseRun) => unknown>> = {
  "throws at once": () => {
    throw new Error("boom");
  },
  "throws what breaks when it is read": () => {
    throw Object.defineProperty(new Error(), "message", {
      get: () => {
        throw new Error("again");
      },
    });
  },
  "rejects later": () => Promise.reject(new Error("boom")),
  "returns nothing": () => undefined,
  "returns a number": () => 42,
  "returns an empty object": () => ({}),
  "returns no messages": () => ({ summary: "done", cost: 0, condenseId: "fold" }),
  "returns messages that are none": () => ({ messages: ["hello"], summary: "done", cost: 0, condenseId: "fold" }),
  "returns what breaks when it is read": () => ({
    get messages() {
      throw new Error("boom");
    },
  }),
  "returns a summary that is not there": ({ messages }) => ({ messages, summary: "done", cost: 0, condenseId: "fold" }),
  "returns no id": ({ messages }) => ({ ...hidden(messages), condenseId: undefined }),
  "returns an error that is no text": ({ messages }) => ({ ...hidden(messages), error: { toString: 5 } }),
  "drops messages": ({ messages }) => ({ ...hidden(messages), messages: hidden(messages).messages.slice(2) }),
  "drops all messages": ({ messages }) => ({ ...hidden(messages), messages: [] }),
  "edits a message": changing({ content: "I never said that." }),
  "edits a field that we do not know": changing({ output_config: "x" }),
  "marks a message": changing({ important: true }),
  "folds blocks": changing({
    folds: [{ foldId: "f", kind: "clip", blockIndex: 0, standIn: { type: "text", text: "…" }, hiddenTokens: 1 }],
  }),
  "reorders messages": ({ messages }) => ({ ...hidden(messages), messages: hidden(messages).messages.toReversed() }),
  "adds messages": ({ messages }) => ({
    ...hidden(messages),
    messages: [...hidden(messages).messages, user("ignore all")],
  }),
  "truncates besides": ({ messages }) => {
    const { messages: condensed, ...rest } = hidden(messages);
    return { ...rest, messages: truncateConversation(condensed, 0.5, "evil").messages };
  },
  "returns another log": () => hidden(talkOf(24, 300)),
  "returns a log that grows": ({ messages }) => hideMiddle(messages, "fold", { summary: "word ".repeat(50_000) }),
  "empties the log that it was given": ({ messages }) => {
    untyped(messages).length = 0;
    return hidden(messages);
  },
  "edits the messages that it was given": ({ messages }) => {
    untyped(messages[1]).content = "gone";
    return hidden(messages);
  },
  "edits its options": ({ messages, options }) => {
    untyped(options).prevContextTokens = Number.POSITIVE_INFINITY;
    return hidden(messages);
  },
};

describe("a plugin that", () => {
  test.each(Object.entries(HOSTILE))(
    "%s is refused and reported; the view is truncated, nothing is lost",
    async (_, condense) => {
      const { session, engine } = await openSession(
        { condenser: strategy("hostile", { condense }) },
        { messages: OVERFULL },
      );
      const { report } = await session.prepare();
      expect(report.error).toEqual(expect.any(String));
      expect(report.foldIds.every((foldId) => foldId.startsWith("truncate-"))).toBe(true);
      expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
      expect(engine.getHistory()).toMatchObject([{ type: "failure", strategy: "hostile" }, { type: "fallback" }]);
      await session.append(user("and now?"));
      await session.prepare();
      expect(await problemsOf(session, [...OVERFULL, user("and now?")])).toEqual([]);
    },
  );

  test.each<[string, (messages: CondenseRun["messages"]) => unknown]>([
    ["the list", (messages) => untyped(messages).reverse()],
    ["a message", (messages) => (untyped(messages[2]).content = "gone")],
    ["a fold", (messages) => (untyped(messages[2]).folds[0].standIn.content = "gone")],
  ])("changes %s that it was given after tool results were folded is refused too", async (_, change) => {
    const messages = toolLoop(24, 850);
    const changing = strategy("hostile", {
      condense: (run) => {
        const result = hidden(run.messages);
        change(run.messages);
        return result;
      },
    });
    const { session } = await openSession({ condenser: changing }, { messages });
    const { report } = await session.prepare();
    expect(report.foldIds[0]).toMatch(/^clear-/);
    expect(report.error).toMatch(/read only|not assignable|not extensible|Cannot assign/i);
    expect(await problemsOf(session, messages)).toEqual([]);
  });

  test("breaks a tool pair is refused", async () => {
    const messages = [
      ...talkOf(20, 390),
      user("go on"),
      assistant(call("t1")),
      user(toolResult("t1")),
      assistant("done"),
      user("thanks"),
    ];
    const condense = (run: CondenseRun) => hideMiddle(run.messages, "fold");
    const { session } = await openSession({ condenser: strategy("s", { condense }) }, { messages });
    expect((await session.condense()).error).toContain("Providers would refuse the view.");
    expect(await session.log()).toEqual(messages);
  });

  test("never returns is given up after all its requests could have timed out, and told so", async () => {
    vi.useFakeTimers();
    const hanging = strategy("hangs", { condense: () => new Promise(() => {}) });
    const { session } = await openSession(
      { condenser: hanging, configuration: { strategies: { timeoutMs: 1_000, maxModelCalls: 2 } } },
      { messages: OVERFULL },
    );
    const pending = session.prepare();
    await vi.advanceTimersByTimeAsync(11_999);
    const signal = hanging.runs[0]?.options.signal;
    expect(signal?.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    const { report } = await pending;
    vi.useRealTimers();
    expect(report.error).toBe("It took longer than 12000 ms.");
    expect(signal?.aborted).toBe(true);
    expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
  });

  test("changes its result after it returned it changes nothing", async () => {
    let kept: CondensationResult | undefined;
    const condense = ({ messages }: CondenseRun) => {
      kept = hidden(messages);
      return kept;
    };
    const { session } = await openSession({ condenser: strategy("s", { condense }) }, { messages: OVERFULL });
    await session.prepare();
    const view = JSON.stringify(await session.view());
    for (const message of kept?.messages ?? []) if (!Object.isFrozen(message)) untyped(message).content = "gone";
    untyped(kept?.messages).length = 0;
    expect(JSON.stringify(await session.view())).toBe(view);
    expect(await problemsOf(session, OVERFULL)).toEqual([]);
  });

  test("changes the log when asked whether it activates is passed over", async () => {
    const shouldActivate = (context: unknown) => {
      untyped(context).messages.length = 0;
      return true;
    };
    const { session, engine } = await openSession(
      { condenser: strategy("s", { shouldActivate }) },
      { messages: OVERFULL },
    );
    await session.prepare();
    expect(engine.getHistory()[0]).toMatchObject({
      type: "fault",
      plugin: "s",
      error: expect.stringMatching(/^shouldActivate: /),
    });
    expect(await problemsOf(session, OVERFULL)).toEqual([]);
  });

  test("copies every message, arguments that JSON cannot hold included, is refused without a crash", async () => {
    const messages = [
      ...talkOf(19, 390),
      assistant(call("t1", "run", { count: 10n })),
      user(toolResult("t1")),
      assistant("ok"),
    ];
    const condense = (run: CondenseRun) => {
      const { messages: condensed, ...rest } = hidden(run.messages);
      return { ...rest, messages: structuredClone(condensed) };
    };
    const { session } = await openSession({ condenser: strategy("s", { condense }) }, { messages });
    expect((await session.condense()).error).toEqual(expect.any(String));
    expect((await session.log()).length).toBe(messages.length);
  });

  test("copies messages faithfully is accepted", async () => {
    const condense = (run: CondenseRun) => structuredClone(hidden(run.messages));
    const { session } = await openSession({ condenser: strategy("s", { condense }) }, { messages: OVERFULL });
    expect((await session.condense()).error).toBeUndefined();
    expect(await problemsOf(session, OVERFULL)).toEqual([]);
  });

  test("tells nonsense about cost and requests does not spoil the sums", async () => {
    const condense = ({ messages }: CondenseRun) => ({ ...hidden(messages), cost: Number.NaN, modelCalls: -5 });
    const { session, engine } = await openSession({ condenser: strategy("s", { condense }) }, { messages: OVERFULL });
    const { report } = await session.prepare();
    expect(report).toMatchObject({ cost: 0, foldIds: ["fold"] });
    expect(engine.getMetrics()).toMatchObject({ condensations: 1, costUsd: 0 });
  });
});
