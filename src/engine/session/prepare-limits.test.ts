/** Views that must be under a provider's limits of bytes and images. */
import { describe, expect, test } from "vitest";
import { FAILING, handler } from "../../../test/support/handlers.ts";
import { interceptStore } from "../../../test/support/intercepted-store.ts";
import { bytesOf, picture, screen } from "../../../test/support/media.ts";
import { assistant, call, log, user } from "../../../test/support/messages.ts";
import { openSession, problemsOf, talkOf } from "../../../test/support/sessions.ts";
import { sessionOn } from "../../../test/support/stored-sessions.ts";
import { countContentTokens } from "../../core/index.ts";
import { type Content, type Message, modelCondenser } from "../../index.ts";
import { memoryStore } from "../../stores/memory/index.ts";

const KILOBYTE = 1_000;

/** A request, and so many calls that each show a screen of so many bytes. */
function screens(count: number, bytes: number): readonly Message[] {
  const steps = Array.from({ length: count }, (_, index) => [
    assistant(call(`t${index}`)),
    user(screen(`t${index}`, bytes)),
  ]);
  return log(user("Click through it."), ...steps.flat());
}

describe("a view under a limit of bytes", () => {
  const messages = screens(30, 10 * KILOBYTE);

  test("stays under it at every turn, and folds rarely, many pictures at once", async () => {
    const { session } = await openSession({});
    const foldingTurns: number[] = [];
    for (const [turn, message] of messages.entries()) {
      await session.append(message);
      const { messages: view, report } = await session.prepare({ maxViewBytes: 100 * KILOBYTE });
      expect(bytesOf(view)).toBeLessThanOrEqual(100 * KILOBYTE);
      expect(report.warnings).toEqual([]);
      if (report.foldIds.length > 0) foldingTurns.push(turn);
    }
    expect(foldingTurns).toHaveLength(6);
    expect(await problemsOf(session, messages)).toEqual([]);
    for (const { foldId } of await session.folds()) await session.restore(foldId);
    expect(await session.log()).toEqual(messages);
  });

  test("is the same bytes from turn to turn where nothing was folded", async () => {
    const { session } = await openSession({}, { messages });
    const first = await session.prepare({ maxViewBytes: 100 * KILOBYTE });
    await session.append(user("Go on."));
    const second = await session.prepare({ maxViewBytes: 100 * KILOBYTE });
    expect(second.report.foldIds).toEqual([]);
    expect(JSON.stringify(second.messages.slice(0, -1))).toBe(JSON.stringify(first.messages));
  });

  test("is reported, and told as an event with its folds", async () => {
    const { session } = await openSession({}, { messages });
    const { report } = await session.prepare({ maxViewBytes: 100 * KILOBYTE });
    expect(report.foldIds).toHaveLength(1);
    expect(await session.events()).toEqual([
      {
        type: "blocks_folded",
        at: 0,
        foldIds: report.foldIds,
        prevContextTokens: report.prevContextTokens,
        newContextTokens: report.promptTokens,
      },
    ]);
    expect(await session.folds()).toEqual([{ foldId: report.foldIds[0], kind: "clip", messages: 0, blocks: 25 }]);
    const { messages: hiddenMessages } = await session.expand(report.foldIds[0] ?? "");
    expect(JSON.stringify(hiddenMessages)).toContain("AAAA");
  });

  test("has no more images than it may have", async () => {
    const { session } = await openSession({}, { messages });
    const { messages: view } = await session.prepare({ maxImages: 10 });
    expect(JSON.stringify(view).split('"type":"image"')).toHaveLength(1 + 7);
  });

  test("also fits the window where notes take more tokens than what they stand for", async () => {
    const many = screens(60, KILOBYTE);
    const { session } = await openSession({ contextWindow: 2_800, maxTokens: 400 }, { messages: many });
    const whole = await session.prepare();
    expect(whole.report.foldIds).toEqual([]);
    expect(whole.report.promptTokens).toBeGreaterThan(whole.report.allowedTokens - 400);
    const { messages: view, report } = await session.prepare({ maxViewBytes: 30 * KILOBYTE });
    expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
    expect(bytesOf(view)).toBeLessThanOrEqual(30 * KILOBYTE);
    expect(report.foldIds.length).toBeGreaterThan(1);
    expect(await problemsOf(session, many)).toEqual([]);
  });
});

describe("a limit that cannot be kept", () => {
  test("is told in a warning; the view is given out, and nothing is folded again and again", async () => {
    const { session } = await openSession({}, { messages: screens(5, 10 * KILOBYTE) });
    const first = await session.prepare({ maxViewBytes: 500, maxImages: 3 });
    const bytes = bytesOf(first.messages);
    expect(first.report.warnings).toEqual([
      `The view takes ${bytes} bytes, over maxViewBytes (500), with all folded that can be. The provider may refuse it.`,
    ]);
    const second = await session.prepare({ maxViewBytes: 500, maxImages: 3 });
    expect(second.report.foldIds).toEqual([]);
    expect(second.messages).toEqual(first.messages);
  });

  test("hides pictures but no text where truncation is off", async () => {
    const said = [...talkOf(8, 390), user("See:", picture(20 * KILOBYTE)), ...talkOf(6, 100).slice(1)];
    const options = {
      condenser: modelCondenser(handler(FAILING.throws)),
      configuration: { strategies: { fallback: "error" } },
    } as const;
    const { session } = await openSession(options, { messages: said });
    const { messages: view, report } = await session.prepare({ maxViewBytes: 5 * KILOBYTE });
    expect(report.warnings).toEqual([expect.stringContaining("over maxViewBytes (5000)")]);
    expect(view.map(({ content }) => typeof content)).toEqual(said.map(({ content }) => typeof content));
    expect(view.filter((message, index) => message !== said[index] && typeof message.content === "string")).toEqual(
      said.filter(({ content }) => typeof content === "string"),
    );
    expect(JSON.stringify(view)).toContain("image/png of 15,000 bytes hidden");
  });

  test.each([{ maxViewBytes: 0 }, { maxViewBytes: Number.NaN }, { maxImages: -1 }])(
    "is refused: %j",
    async (limits) => {
      const { session } = await openSession({}, { messages: screens(1, 10) });
      await expect(session.prepare(limits)).rejects.toMatchObject({ code: "invalid-argument" });
    },
  );
});

test("where others rewrite the log meanwhile, what it is by then is folded", async () => {
  const messages = screens(10, 10 * KILOBYTE);
  const store = memoryStore();
  const other = await sessionOn(store);
  await other.append(...messages);
  let left = 2;
  const before = async (act: string) => {
    if (act !== "append" || left === 0) return;
    left -= 1;
    await other.mark("m2", { important: true });
    if (left === 0) await other.mark("m4", { important: true });
  };
  const session = await sessionOn(interceptStore(store, { before }));
  const { messages: view, report } = await session.prepare({ maxViewBytes: 60 * KILOBYTE });
  expect(report.foldIds).toHaveLength(1);
  expect(bytesOf(view)).toBeLessThanOrEqual(60 * KILOBYTE);
  expect(JSON.stringify(view[2])).toContain("AAAA");
  expect(JSON.stringify(view[6])).not.toContain("AAAA");
});

test("measuring looks only at what is new, and without a limit at nothing", async () => {
  let written = 0;
  const counted = (index: number): Message => {
    const block = {
      type: "text",
      text: `step ${index}`,
      toJSON: () => ({ type: "text", text: `${written++}` }),
    } as const;
    return index % 2 === 0 ? user(block) : assistant(block);
  };
  const countTokens = (content: Content) => countContentTokens(typeof content === "string" ? content : []);
  const messages = Array.from({ length: 100 }, (_, index) => counted(index));
  const { session } = await openSession({ countTokens }, { messages });
  const start = written;
  await session.prepare();
  expect(written).toBe(start);
  for (let turn = 0; turn < 5; turn++) await session.prepare({ maxViewBytes: 1_000 * KILOBYTE });
  expect(written).toBe(start + 100);
  await session.append(counted(100));
  const grown = written;
  await session.prepare({ maxViewBytes: 1_000 * KILOBYTE });
  expect(written).toBe(grown + 1);
});
