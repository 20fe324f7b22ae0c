import { describe, expect, test } from "vitest";
import { FAILING, GOOD_SUMMARY, good, handler } from "../../../test/support/handlers.ts";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import { openSession, problemsOf, strategy, talkOf, untyped } from "../../../test/support/sessions.ts";
import { validateView } from "../../core/index.ts";
import { modelCondenser } from "../../index.ts";

const FULL = talkOf(20, 390);

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

describe("condensing by hand", () => {
  test("works at any fill", async () => {
    const model = handler(good);
    const messages = talkOf(8, 100);
    const { session } = await openSession({ contextWindow: 200_000, condenser: modelCondenser(model) }, { messages });
    const { error, summary, condenseId, newContextTokens = 0, messages: after } = await session.condense();
    expect([error, summary]).toEqual([undefined, GOOD_SUMMARY]);
    expect(after).toEqual(await session.log());
    expect(await session.folds()).toMatchObject([{ foldId: condenseId, kind: "condense" }]);
    const { report } = await session.prepare();
    expect(Math.abs(newContextTokens - report.promptTokens)).toBeLessThan(60);
    expect(await problemsOf(session, messages)).toEqual([]);
  });

  test("works right after a failure", async () => {
    const model = handler(FAILING.throws);
    const { session } = await openSession({ condenser: modelCondenser(model) }, { messages: FULL });
    await session.prepare();
    await session.condense();
    expect(model.asked.length).toBe(2);
  });

  test("works while a tool call is running: its result pairs up afterwards", async () => {
    const messages = log(...talkOf(10, 300), user("run it"), assistant("I run it.", call("t1", "run_command")));
    const { session } = await openSession({ condenser: modelCondenser(handler(good)) }, { messages });
    expect((await session.condense()).error).toBeUndefined();
    await session.append(user(result("t1", "42 passed")));
    const { messages: view } = await session.prepare();
    expect(validateView(view)).toEqual([]);
    expect(JSON.stringify(view)).toContain("42 passed");
    expect(await problemsOf(session, [...messages, user(result("t1", "42 passed"))])).toEqual([]);
  });

  test("with an error changes nothing", async () => {
    const { session } = await openSession(
      { condenser: modelCondenser(handler(FAILING.repliesNothing)) },
      { messages: FULL },
    );
    expect(await session.condense()).toMatchObject({
      error: expect.stringContaining("no text"),
      summary: "",
      messages: FULL,
    });
    expect(await session.log()).toEqual(FULL);
  });

  test("is not possible in a window under 8,000 tokens, and no model is asked", async () => {
    const model = handler(good);
    const window = { contextWindow: 7_999, maxTokens: 500 };
    const { session } = await openSession({ ...window, condenser: modelCondenser(model) }, { messages: FULL });
    expect((await session.condense()).error).toBe(
      "A window of 7999 tokens is too small to condense with a model; from 8000 on it is possible.",
    );
    const { report } = await session.prepare();
    expect(report.foldIds[0]).toMatch(/^truncate-/);
    expect(model.asked).toEqual([]);
  });

  test("may be aborted: the result says so, and the model is not blamed", async () => {
    const { model, reply } = waiting();
    const { session } = await openSession({ condenser: modelCondenser(model) }, { messages: FULL });
    const controller = new AbortController();
    const pending = session.condense({ signal: controller.signal });
    await turn();
    controller.abort();
    expect((await pending).error).toBe("The request was aborted.");
    expect(model.asked[0]?.call?.signal.aborted).toBe(true);
    expect(await session.log()).toEqual(FULL);
    expect((await session.condense({ signal: controller.signal })).error).toBe("The request was aborted.");
    reply();
    expect((await session.prepare()).report.error).toBeUndefined();
    expect(model.asked.length).toBe(2);
  });

  test("also ends a plugin that does not listen to the signal", async () => {
    const deaf = strategy("deaf", { condense: () => new Promise(() => {}) });
    const { session } = await openSession({ condenser: deaf }, { messages: FULL });
    const controller = new AbortController();
    const pending = session.condense({ signal: controller.signal });
    await turn();
    controller.abort();
    expect((await pending).error).toBe("The request was aborted.");
  });

  test.each<[unknown, string]>([
    [null, 'options is null; it must be an object, such as { prompt: "Keep the decisions." }.'],
    [{ prompt: 5 }, "options.prompt is 5; it must be a string."],
    [{ trigger: "later" }, 'options.trigger is "later"; it must be "manual" or "auto".'],
  ])("refuses %j", async (options, message) => {
    const { session } = await openSession({ condenser: strategy("s") }, { messages: FULL });
    await expect(session.condense(untyped(options))).rejects.toThrow(message);
    expect((await session.condense()).error).toBeUndefined();
  });
});
