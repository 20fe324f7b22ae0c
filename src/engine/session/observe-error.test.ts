import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MESSAGE_WIRES } from "../../../test/support/message-wires.ts";
import { talkOf } from "../../../test/support/sessions.ts";
import { isMessageWire, type MessageWire, WIRES } from "../../messages/wires.ts";
import { type ModelServer, startModelServer } from "../../testing/index.ts";
import { createEngine } from "../create-engine.ts";
import type { Session } from "./session.ts";

const wires: readonly MessageWire[] = Object.keys(WIRES).filter(isMessageWire);

let server: ModelServer;

beforeEach(async () => {
  server = await startModelServer({ contextWindow: 8_000 });
});

afterEach(() => server.close());

/** What the client threw; undefined where the prompt was taken. */
async function sendOn<Wire extends MessageWire>(wire: Wire, session: Session): Promise<unknown> {
  const { modelOf, send } = MESSAGE_WIRES[wire];
  const prepared = await session.prepare({ as: wire });
  return send(server, modelOf(0), prepared).then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** About 12,000 tokens. */
const open = () => createEngine({ model: "my-model", maxTokens: 500 }).session("task", { messages: talkOf(60, 200) });

test.each(wires)("after a refusal on %s the next prompt fits", async (wire) => {
  const session = await open();
  const refused = await sendOn(wire, session);
  expect(refused).toBeInstanceOf(Error);
  expect(session.observeError(refused)).toMatchObject({ isTooLong: true, by: "tokens" });
  expect(await sendOn(wire, session)).toBeUndefined();
});

describe("what a refusal says is believed", () => {
  const windowAfter = async (message: string, session?: Session) => {
    const opened = session ?? (await open());
    await opened.prepare();
    opened.observeError(new Error(message));
    return (await opened.prepare()).report;
  };

  test("about the window", async () => {
    expect((await windowAfter("prompt is too long: 12400 tokens > 9000 maximum")).contextWindow).toBe(9_000);
  });

  test("about a tokenizer that makes more of the prompt than we do", async () => {
    const session = await open();
    const sent = (await session.prepare()).report.promptTokens;
    const learned = await windowAfter(`prompt is too long: ${sent * 2} tokens > ${sent + 1_000} maximum`, session);
    expect(learned.contextWindow).toBe(sent + 1_000);
    expect(learned.promptTokens).toBeLessThanOrEqual(sent + 1_000);
    expect(learned.prevContextTokens).toBeGreaterThan(sent * 1.9);
  });

  test("but not where its numbers contradict each other: then less than what was sent is taken for the window", async () => {
    const session = await open();
    const sent = (await session.prepare()).report.promptTokens;
    const learned = await windowAfter(`prompt is too long: ${sent} tokens > 200000 maximum`, session);
    expect(learned.contextWindow).toBeLessThan(sent);
    expect(learned.promptTokens).toBeLessThan(learned.contextWindow);
  });

  test("and where it names no number, less than what was sent is taken for the window", async () => {
    const session = await open();
    const { promptTokens } = (await session.prepare()).report;
    const report = await windowAfter(
      "Your input exceeds the context window of this model. Please adjust your input.",
      session,
    );
    expect(report.contextWindow).toBeLessThan(promptTokens);
    expect(report.promptTokens).toBeLessThan(report.contextWindow);
  });

  test.each([new Error("overloaded"), Object.assign(new Error("too large"), { status: 413 }), undefined, "no", 5])(
    "and %s changes nothing",
    async (error) => {
      const session = await open();
      await session.prepare();
      session.observeError(error);
      expect((await session.prepare()).report).toMatchObject({ contextWindow: 200_000, foldIds: [] });
    },
  );

  test("until another model is used", async () => {
    const session = await open();
    session.observeError(new Error("prompt is too long: 12400 tokens > 9000 maximum"));
    session.useModel({ model: "claude-haiku-4-5" });
    expect((await session.prepare()).report.contextWindow).toBe(200_000);
  });
});

test("a window that nobody named is told to be a guess, until a refusal names it", async () => {
  const session = await open();
  expect((await session.prepare()).report.warnings).toEqual([expect.stringMatching(/"my-model".*200000.*guess/)]);
  session.observeError(new Error("prompt is too long: 12400 tokens > 9000 maximum"));
  expect((await session.prepare()).report.warnings).toEqual([]);
  session.useModel({ model: "my-model", contextWindow: 50_000 });
  expect((await session.prepare()).report.warnings).toEqual([]);
  session.useModel({ model: "claude-haiku-4-5" });
  expect((await session.prepare()).report.warnings).toEqual([]);
});
