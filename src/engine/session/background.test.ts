/** Condensing ahead of need, in the background. */
import { describe, expect, test } from "vitest";
import { FAILING, good, handler } from "../../../test/support/handlers.ts";
import { assistant, user } from "../../../test/support/messages.ts";
import {
  type CondenseRun,
  hideMiddle,
  openSession,
  problemsOf,
  prose,
  strategy,
  talkOf,
} from "../../../test/support/sessions.ts";
import { type EngineOptions, type Hooks, type Message, modelCondenser } from "../../index.ts";

const BACKGROUND = { strategies: { background: true } } as const;
/** About 66 % of the window: past the threshold of 75 % less ten points. */
const NEAR = talkOf(20, 325);

/** A strategy whose results wait until they are let go, one by one. */
function held() {
  const waiting: (() => void)[] = [];
  const plugin = strategy("held", {
    condense: async ({ messages }: CondenseRun) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return hideMiddle(messages, `held-${plugin.runs.length}`);
    },
  });
  return { plugin, letGo: () => waiting.shift()?.() };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

async function open(options: Partial<EngineOptions>, messages: readonly Message[] = NEAR) {
  return openSession({ configuration: BACKGROUND, ...options }, { messages });
}

describe("in the background", () => {
  test("a condensation starts ten points before the threshold, and nobody waits for it", async () => {
    const { plugin } = held();
    const { session } = await open({ condenser: plugin }, talkOf(20, 310));
    expect((await session.prepare()).report.usedPercent).toBeLessThan(65);
    await turn();
    expect(plugin.runs.length).toBe(0);
    await session.append(user(prose(300, "more")));
    const { report, messages } = await session.prepare();
    await turn();
    expect(report.prevUsedPercent).toBeGreaterThan(65);
    expect([report.foldIds, messages.length, plugin.runs.length]).toEqual([[], 21, 1]);
    expect(plugin.runs[0]?.options.trigger).toBe("auto");
  });

  test("there is never more than one, and nothing else is folded meanwhile, also over the threshold", async () => {
    const { plugin } = held();
    const { session } = await open({ condenser: plugin });
    for (let index = 0; index < 4; index++) {
      const { report } = await session.prepare();
      expect(report.foldIds).toEqual([]);
      await session.append(user(prose(250, `more ${index}`)));
    }
    expect((await session.prepare()).report.usedPercent).toBeGreaterThan(75);
    expect(plugin.runs.length).toBe(1);
  });

  test("what is finished is put in place by the next prepare, with all that was appended meanwhile", async () => {
    const { plugin, letGo } = held();
    const { session } = await open({ condenser: plugin });
    await session.prepare();
    const more = [assistant("meanwhile"), user("and this")];
    await session.append(...more);
    letGo();
    await turn();
    expect(await session.folds()).toEqual([]);
    const { report, messages } = await session.prepare();
    expect(report).toMatchObject({ foldIds: ["held-1"], cost: 0.5 });
    expect(report.prevContextTokens).toBeGreaterThan(2 * report.promptTokens);
    expect(messages.slice(-2)).toEqual(more);
    const folds = (await session.events()).filter(({ type }) => type !== "request");
    expect(folds).toMatchObject([{ type: "condense_context", condenseId: "held-1", cost: 0.5 }]);
    expect(await problemsOf(session, [...NEAR, ...more])).toEqual([]);
  });

  test("it is awaited when the next request would not fit", async () => {
    const { plugin, letGo } = held();
    const { session } = await open({ condenser: plugin });
    await session.prepare();
    await session.append(user(prose(2_500, "a lot")));
    let isReady = false;
    const pending = session.prepare().then((prepared) => {
      isReady = true;
      return prepared;
    });
    await turn();
    expect(isReady).toBe(false);
    letGo();
    const { report } = await pending;
    expect(report.foldIds).toEqual(["held-1"]);
    expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
    expect(plugin.runs.length).toBe(1);
  });

  test("when it is awaited and not enough, the view is truncated: a model is asked once per turn", async () => {
    const { plugin, letGo } = held();
    const { session } = await open({ condenser: plugin });
    await session.prepare();
    await session.append(...talkOf(3, 3_000));
    const pending = session.prepare();
    await turn();
    letGo();
    const { report } = await pending;
    expect(report.foldIds[0]).toBe("held-1");
    expect(report.foldIds.length).toBeGreaterThan(1);
    expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
    expect(plugin.runs.length).toBe(1);
  });

  test("waiting may be given up", async () => {
    const { plugin } = held();
    const { session } = await open({ condenser: plugin });
    await session.prepare();
    await session.append(user(prose(2_500, "a lot")));
    const controller = new AbortController();
    const pending = session.prepare({ signal: controller.signal });
    await turn();
    controller.abort(new Error("Escape"));
    await expect(pending).rejects.toThrow("Escape");
    expect((await session.condense({ signal: controller.signal })).error).toBe("The request was aborted.");
  });

  test("it is discarded when the log was rewritten meanwhile, and what it cost is told", async () => {
    const { plugin, letGo } = held();
    const first = await open({ condenser: strategy("earlier") }, talkOf(20, 390));
    await first.session.condense();
    const saved = await first.session.log();
    const { session } = await open({ condenser: plugin }, [...saved, ...talkOf(14, 390)]);
    await session.prepare();
    await turn();
    expect(plugin.runs.length).toBe(1);
    await session.restore("earlier-fold");
    letGo();
    await turn();
    // Too large now: it is condensed anew, from the log as it is.
    const pending = session.prepare();
    await turn();
    letGo();
    const { report } = await pending;
    expect(report).toMatchObject({ foldIds: ["held-2"], cost: 1 });
    expect(report.error).toBeUndefined();
    expect((await session.events()).slice(0, 2)).toMatchObject([
      { type: "restored" },
      { type: "condense_failed", cost: 0.5, error: expect.stringContaining("rewritten while it was condensed") },
    ]);
    expect(await problemsOf(session, [...talkOf(20, 390), ...talkOf(14, 390)])).toEqual([]);
  });

  test("condensing by hand takes what is under way, and does not start a second one", async () => {
    const { plugin, letGo } = held();
    const { session } = await open({ condenser: plugin });
    await session.prepare();
    await session.append(user("meanwhile"));
    const pending = session.condense();
    await turn();
    letGo();
    const { error, condenseId, messages } = await pending;
    expect([error, condenseId, plugin.runs.length]).toEqual([undefined, "held-1", 1]);
    expect(messages).toEqual(await session.log());
    expect(messages.at(-1)).toEqual(user("meanwhile"));
  });

  test("it ends when condensing is switched off: no other strategy is asked, and nothing is put in place", async () => {
    const { plugin, letGo } = held();
    const second = strategy("second");
    const { session, engine } = await open({ condenser: [plugin, second] });
    await session.prepare();
    await turn();
    engine.configure({ strategies: { primary: "truncation" } });
    expect(plugin.runs[0]?.options.signal?.aborted).toBe(true);
    letGo();
    await turn();
    const { report } = await session.prepare();
    expect(report).toMatchObject({ foldIds: [], error: 'Condensing is off: strategies.primary is "truncation".' });
    expect([plugin.runs.length, second.runs.length]).toEqual([1, 0]);
    engine.configure({ strategies: { primary: "hybrid" } });
    await session.prepare();
    await turn();
    expect(plugin.runs.length).toBe(2);
  });

  test("hooks that are switched off while it runs are not called any more", async () => {
    const { plugin, letGo } = held();
    const called: string[] = [];
    const hook: Hooks = {
      name: "h",
      beforeCondensation: () => void called.push("before"),
      afterCondensation: () => void called.push("after"),
    };
    const { session, engine } = await open({ condenser: plugin, hooks: [hook] });
    await session.prepare();
    await turn();
    engine.configure({ monitoring: { hooks: false } });
    letGo();
    await turn();
    expect((await session.prepare()).report.foldIds).toEqual(["held-1"]);
    expect(called).toEqual(["before"]);
  });

  test("a failure is told once, and backs off", async () => {
    const model = handler(FAILING.throws);
    const { session } = await open({ condenser: modelCondenser(model) });
    const errors: (string | undefined)[] = [];
    for (let index = 0; index < 4; index++) {
      errors.push((await session.prepare()).report.error);
      await turn();
      await session.append(user(`more ${index}`));
    }
    expect(errors).toEqual([undefined, expect.stringContaining("overloaded"), undefined, undefined]);
    expect(model.asked.length).toBe(1);
  });

  test("a session that needs it never overflows, turn after turn", async () => {
    const model = handler(good);
    const { session, engine } = await open({ condenser: modelCondenser(model) }, []);
    const messages = talkOf(80, 390);
    for (const message of messages) {
      await session.append(message);
      const { report } = await session.prepare();
      expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
      await turn();
    }
    expect(engine.getMetrics().condensations).toBeGreaterThan(2);
    expect(engine.getMetrics().fallbacks).toBe(0);
    expect(await problemsOf(session, messages)).toEqual([]);
  });

  test("each look at the session is a line of the log", async () => {
    const lines: string[] = [];
    const { plugin } = held();
    const configuration = { ...BACKGROUND, monitoring: { logging: true } };
    const { session } = await open({ condenser: plugin, configuration, log: (line) => lines.push(line) });
    await session.prepare();
    await session.append(user("more"));
    await session.prepare();
    expect(lines.map((line) => line.split(" ").at(-1))).toEqual(["action=condense-in-background", "action=none"]);
  });

  test("without a strategy, or where no model may be asked, the view is truncated as ever", async () => {
    const { session } = await open({}, talkOf(24, 390));
    expect((await session.prepare()).report.foldIds[0]).toMatch(/^truncate-/);
    const { plugin } = held();
    const off = { strategies: { background: true, primary: "truncation" } } as const;
    const { session: other } = await open({ condenser: plugin, configuration: off });
    await other.prepare();
    await turn();
    expect(plugin.runs.length).toBe(0);
  });
});

test("where it is off, which it is by default, nothing is condensed ahead of need", async () => {
  const { plugin } = held();
  const { session } = await openSession({ condenser: plugin }, { messages: NEAR });
  await session.prepare();
  await turn();
  expect(plugin.runs.length).toBe(0);
});
