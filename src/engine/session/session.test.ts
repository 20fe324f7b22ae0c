import { describe, expect, test } from "vitest";
import { GOOD_SUMMARY, good, handler } from "../../../test/support/handlers.ts";
import { user } from "../../../test/support/messages.ts";
import { openSession, problemsOf, SMALL, strategy, talkOf, untyped } from "../../../test/support/sessions.ts";
import { createEngine, type Message, modelCondenser, type Session } from "../../index.ts";
import { memoryStore } from "../../stores/memory/index.ts";

const FULL = talkOf(20, 390);
const OVERFULL = talkOf(24, 390);

/** A model whose reply waits until it is told to come. */
function waiting() {
  let reply = () => {};
  const told = new Promise<void>((resolve) => {
    reply = resolve;
  });
  const model = handler(async function* (request) {
    await told;
    yield* good(request);
  });
  return { model, reply };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("a session", () => {
  test("keeps what is appended, in order, and shows it", async () => {
    const { session } = await openSession({}, { messages: FULL.slice(0, 2) });
    await session.append(...FULL.slice(2, 4));
    await session.append();
    expect(await session.log()).toEqual(FULL.slice(0, 4));
    expect(await session.view()).toEqual(FULL.slice(0, 4));
    expect((await session.prepare()).messages).toEqual(FULL.slice(0, 4));
    expect([await session.folds(), await session.events()]).toEqual([[], []]);
  });

  test("may be empty", async () => {
    const { session } = await openSession({});
    const { messages, report } = await session.prepare();
    expect([messages, report.promptTokens, report.foldIds]).toEqual([[], 0, []]);
    expect((await session.condense()).error).toEqual(expect.any(String));
  });

  test("takes all messages of an append or none", async () => {
    const { session } = await openSession({});
    await expect(session.append(user("a"), untyped({ role: "robot", content: "b" }))).rejects.toThrow(
      'messages[1].role is "robot"',
    );
    expect(await session.log()).toEqual([]);
  });

  test("takes nothing that cannot be counted", async () => {
    const countTokens = (content: unknown) => (String(content).includes("odd") ? Number.NaN : 5);
    const { session } = await openSession({ countTokens });
    await expect(session.append(user("even"), user("odd"))).rejects.toThrow("countTokens returned NaN");
    await session.append(user("next"));
    expect(await session.log()).toEqual([user("next")]);
    expect((await session.prepare()).messages).toEqual([user("next")]);
  });

  test("does not change when the caller changes what was appended, or what was given out", async () => {
    const { session } = await openSession({});
    const message = { ...user("hello"), id: "m0" };
    await session.append(message);
    message.content = "gone";
    untyped(await session.log()).pop();
    untyped(await session.view()).pop();
    untyped((await session.prepare()).messages).pop();
    untyped(await session.events()).push("x");
    expect(await session.log()).toEqual([{ ...user("hello"), id: "m0" }]);
    expect((await session.prepare()).messages).toEqual([{ ...user("hello"), id: "m0" }]);
    expect(await session.events()).toEqual([]);
  });

  test("goes on where another one left off: the same view from the same log, byte for byte", async () => {
    const { session } = await openSession({ condenser: strategy("s") }, { messages: OVERFULL });
    const { messages } = await session.prepare();
    const saved: Message[] = JSON.parse(JSON.stringify(await session.log()));
    const { session: other } = await openSession({}, { messages: saved });
    expect(JSON.stringify((await other.prepare()).messages)).toBe(JSON.stringify(messages));
    expect(await other.folds()).toEqual(await session.folds());
  });

  test("may be given a saved log message by message", async () => {
    const large = { contextWindow: 100_000 };
    const { session } = await openSession({ ...large, condenser: strategy("s") }, { messages: OVERFULL });
    await session.condense();
    const { messages, report } = await session.prepare();
    const { session: other } = await openSession(large);
    for (const message of await session.log()) {
      await other.append(message);
      await other.prepare();
    }
    const again = await other.prepare();
    expect(again.messages).toEqual(messages);
    expect(again.report.promptTokens).toBe(report.promptTokens);
  });

  test("tells what happened, in order, with times, sizes and cost", async () => {
    let time = 0;
    const { session } = await openSession({ condenser: strategy("s"), now: () => ++time }, { messages: FULL });
    const { report } = await session.prepare();
    await session.append(...talkOf(24, 390).slice(20));
    await session.condense();
    await session.restore("s-fold");
    const events = await session.events();
    expect(events).toMatchObject([
      {
        type: "condense_context",
        condenseId: "s-fold",
        summary: GOOD_SUMMARY,
        cost: 0.5,
        prevContextTokens: report.prevContextTokens,
        newContextTokens: expect.any(Number),
      },
      { type: "condense_failed", error: expect.any(String), cost: 0.5 },
      { type: "restored", foldId: "s-fold" },
    ]);
    expect(events.map((event) => event.at)).toEqual(events.map((event) => event.at).toSorted((a, b) => a - b));
  });

  test("tells of a truncation: its fold, how many messages it hid, and both sizes", async () => {
    const configuration = { strategies: { primary: "truncation" } } as const;
    const { session } = await openSession({ configuration }, { messages: talkOf(24, 390) });
    const { report } = await session.prepare();
    const messages = await session.log();
    const marker = messages.find(({ isTruncationMarker }) => isTruncationMarker);
    expect(await session.events()).toEqual([
      {
        type: "sliding_window_truncation",
        at: expect.any(Number),
        truncationId: marker?.truncationId,
        messagesRemoved: messages.filter(({ truncationParent }) => truncationParent === marker?.truncationId).length,
        prevContextTokens: report.prevContextTokens,
        newContextTokens: report.promptTokens,
      },
    ]);
  });

  test("lists its folds, and undoes each: what it hid is back, byte for byte", async () => {
    const { session } = await openSession({ condenser: strategy("s") }, { messages: FULL });
    await session.prepare();
    expect(await session.folds()).toEqual([{ foldId: "s-fold", kind: "condense", messages: 16, blocks: 0 }]);
    await session.restore("s-fold");
    expect(JSON.stringify(await session.log())).toBe(JSON.stringify(FULL));
    expect(await session.view()).toEqual(FULL);
    await expect(session.restore("s-fold")).rejects.toMatchObject({ code: "unknown-fold" });
    await session.append(user("go on"));
    expect((await session.prepare()).messages.at(-1)).toEqual(user("go on"));
  });
});

describe("at the same time", () => {
  test("what is appended while a condensation is awaited is not lost", async () => {
    const { model, reply } = waiting();
    const { session } = await openSession({ condenser: modelCondenser(model) }, { messages: OVERFULL });
    const pending = session.prepare();
    await turn();
    await session.append(user("wait, one more thing"));
    reply();
    const { messages } = await pending;
    expect(messages.at(-1)).toEqual(user("wait, one more thing"));
    expect(await problemsOf(session, [...OVERFULL, user("wait, one more thing")])).toEqual([]);
  });

  test("what is appended while a condensation fails is in the view all the same", async () => {
    const failing = strategy("s", {
      condense: async () => {
        await session.append(user("wait, one more thing"));
        throw new Error("overloaded");
      },
    });
    const { session } = await openSession({ condenser: failing }, { messages: FULL });
    const { messages, report } = await session.prepare();
    expect(report.error).toBe("overloaded");
    expect(messages).toEqual([...FULL, user("wait, one more thing")]);
  });

  test("two prepares run one after the other, and the model is asked once", async () => {
    const { model, reply } = waiting();
    const { session } = await openSession({ condenser: modelCondenser(model) }, { messages: OVERFULL });
    const both = Promise.all([session.prepare(), session.prepare()]);
    await turn();
    reply();
    const [first, second] = await both;
    expect(model.asked.length).toBe(1);
    expect(second.messages).toEqual(first.messages);
    expect([first.report.foldIds.length, second.report.foldIds.length]).toEqual([1, 0]);
  });

  test("one that fails does not hold up the next", async () => {
    const { session } = await openSession({}, { messages: FULL });
    const outcomes = await Promise.allSettled([session.restore("nothing"), session.prepare(), session.condense()]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  });

  test("a prepare that is aborted is rejected with the reason; nothing is lost, and the next one works", async () => {
    const { model, reply } = waiting();
    const { session } = await openSession({ condenser: modelCondenser(model) }, { messages: OVERFULL });
    const controller = new AbortController();
    const pending = session.prepare({ signal: controller.signal });
    await turn();
    controller.abort(new Error("The person pressed Escape."));
    await expect(pending).rejects.toThrow("The person pressed Escape.");
    await expect(session.prepare({ signal: controller.signal })).rejects.toThrow("The person pressed Escape.");
    expect(await session.log()).toEqual(OVERFULL);
    expect(await session.events()).toMatchObject([{ type: "condense_failed", error: "The request was aborted." }]);
    reply();
    const { report } = await session.prepare();
    expect(report.foldIds[0]).toMatch(/^condense-/);
  });
});

describe("another model", () => {
  test("with a smaller window: the next view fits it", async () => {
    const messages = talkOf(40, 900);
    const { session } = await openSession({ model: "claude-sonnet-4-5", contextWindow: undefined }, { messages });
    expect((await session.prepare()).report).toMatchObject({ contextWindow: 200_000, foldIds: [] });
    session.useModel({ model: "gpt-3.5-turbo" });
    const { report } = await session.prepare();
    expect(report.contextWindow).toBe(16_000);
    expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
    expect(await problemsOf(session, messages)).toEqual([]);
  });

  test("with tokens of its own: the forecast is the new model's", async () => {
    const { session } = await openSession({ model: "gpt-5" }, { messages: FULL });
    const { report } = await session.prepare();
    session.observe({ inputTokens: report.promptTokens });
    session.useModel({ ...SMALL, model: "claude-sonnet-4-5" });
    expect((await session.prepare()).report.prevContextTokens).toBeGreaterThan(report.promptTokens + 500);
  });

  test("is refused where it makes no sense, and the old one stays", async () => {
    const { session } = await openSession({});
    expect(() => session.useModel(untyped(undefined))).toThrow(
      'choice is undefined; it must be an object, such as { model: "claude-haiku-4-5" }.',
    );
    expect(() => session.useModel({ model: "x", contextWindow: -5 })).toThrow("contextWindow is -5");
    expect((await session.prepare()).report.contextWindow).toBe(10_000);
  });
});

test("the same inputs and the same clock give the same bytes, whatever the engine", async () => {
  const live = async (): Promise<string> => {
    const engine = createEngine({ ...SMALL, condenser: modelCondenser(handler(good)), now: () => 0 });
    const session: Session = await engine.session("task", { systemPrompt: "You help." });
    const views: unknown[] = [];
    for (const [index, message] of talkOf(60, 400).entries()) {
      await session.append(message);
      const { messages, report } = await session.prepare();
      views.push(messages, report);
      if (index % 3 === 0) session.observe({ inputTokens: Math.round(report.promptTokens * 1.1), outputTokens: 400 });
    }
    return JSON.stringify([views, await session.log(), await session.events(), engine.getHistory()]);
  };
  expect(await live()).toBe(await live());
});

describe("a calibration from the next message on", () => {
  test("leaves what was said so far as it was decided, also in a session that is opened again", async () => {
    const store = memoryStore();
    const session = await createEngine({ ...SMALL, store }).session("task");
    await session.append(user("one"));
    await session.calibrate(1.5, { from: "next-message" });
    const again = await createEngine({ ...SMALL, store }).session("task");
    for (const each of [session, again]) {
      expect(await each.snapshot()).toMatchObject({ tokenRatio: 1, nextTokenRatio: 1.5 });
    }
    await session.append(user("two"));
    for (const each of [session, again]) {
      expect(await each.snapshot()).toMatchObject({ tokenRatio: 1.5, nextTokenRatio: 1.5 });
    }
    await session.calibrate(2);
    expect(await again.snapshot()).toMatchObject({ tokenRatio: 2, nextTokenRatio: 2 });
  });
});
