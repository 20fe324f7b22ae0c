import { afterEach, describe, expect, test, vi } from "vitest";
import { FAILING, good, handler } from "../../test/support/handlers.ts";
import { longTalk, SETTINGS, toolLoop, totalTokens, words } from "../../test/support/long-talk.ts";
import { assistant, call, deepFreeze, ids, log, result, tag, user } from "../../test/support/messages.ts";
import { restoreAllMessages } from "../core/history/restore.ts";
import { effectiveView, getEffectiveApiHistory } from "../core/message/effective-view.ts";
import type { Block, Content, CountTokens, Message } from "../core/message/message.ts";
import { validateView } from "../core/message/validate-view.ts";
import type { ModelHandler } from "../core/ports/model-handler.ts";
import { countContentTokens } from "../core/tokens/count-content.ts";
import { countMessagesTokens } from "../core/tokens/count-messages.ts";
import { countTextTokens } from "../core/tokens/o200k/count-text-tokens.ts";
import { type ManageContextOptions, manageContext } from "./manage-context.ts";

const ALLOWED = 24_800;
const over = longTalk(41, 1_000);
const off = { autoCondenseContext: false };

const blocksOf = ({ content }: Message): readonly Block[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

/** What a provider with this counter would say about the prompt. */
function promptBy(countTokens: CountTokens, messages: readonly Message[], systemPrompt: string): number {
  return countTokens([{ type: "text", text: systemPrompt }, ...effectiveView(messages).flatMap(blocksOf)]);
}

/** Manages with a handler that counts like this, and a caller that reports what such a handler counts. */
async function manageBy(
  countTokens: CountTokens,
  messages: readonly Message[],
  changes: Partial<ManageContextOptions> = {},
) {
  const { systemPrompt = SETTINGS.systemPrompt } = changes;
  const apiHandler = handler(good, { countTokens: async (content) => countTokens(content) });
  const last = messages.at(-1);
  const total = promptBy(countTokens, messages, systemPrompt) - (last === undefined ? 0 : countTokens(last.content));
  const options = { ...SETTINGS, messages, totalTokens: Math.max(0, total), apiHandler, ...changes };
  const outcome = await manageContext(options);
  return { ...outcome, byHandler: promptBy(countTokens, outcome.messages, systemPrompt) };
}

/** A counter that makes `factor` tokens of one of ours. */
const times =
  (factor: number): CountTokens =>
  (content) =>
    Math.ceil(factor * countContentTokens(content));

describe("by the handler's own count", () => {
  test.each([0.5, 1, 1.5, 3])(
    "a truncated context fits, also with a long system prompt, where that makes %d of one",
    async (factor) => {
      for (const systemPrompt of ["You help.", words(6_000 / factor)]) {
        for (const talk of [longTalk(41, 1_000 / factor), longTalk(9, 6_000 / factor), toolLoop(40, 1_200 / factor)]) {
          const { byHandler, newContextTokensAfterTruncation, messages } = await manageBy(times(factor), talk, {
            ...off,
            systemPrompt,
          });
          expect(byHandler).toBeLessThanOrEqual(ALLOWED);
          expect(newContextTokensAfterTruncation).toBe(byHandler);
          expect(validateView(effectiveView(messages))).toEqual([]);
          expect(restoreAllMessages(messages)).toEqual(talk);
        }
      }
    },
  );

  test.each([0.5, 1, 1.5, 3])("a condensed context fits too, where that makes %d of one", async (factor) => {
    const systemPrompt = words(6_000 / factor);
    // The three messages that a summary keeps are too large already.
    const talk = [
      ...longTalk(20, 1_000),
      ...longTalk(3, 9_000 / factor).map((message) => ({ ...message, id: `k${message.id}` })),
    ];
    const outcome = await manageBy(times(factor), talk, { systemPrompt });
    expect(outcome.condenseId).toBeDefined();
    expect(outcome.byHandler).toBeLessThanOrEqual(ALLOWED);
    expect(effectiveView(outcome.messages).some((message) => message.condenseId === outcome.condenseId)).toBe(true);
  });

  test("half is enough where the handler counts less than we do, and no more goes", async () => {
    const { messagesRemoved, byHandler } = await manageBy(times(0.5), longTalk(41, 2_000), off);
    expect(messagesRemoved).toBe(20);
    expect(byHandler).toBeGreaterThan(ALLOWED * 0.7);
  });

  test("a context fits whose newest messages are far more expensive than the oldest", async () => {
    const dear: CountTokens = (content) => {
      const blocks = typeof content === "string" ? [content] : content.map((block) => JSON.stringify(block));
      return blocks.reduce((sum, text) => sum + countTextTokens(text) * (/ask(3\d|40)|reply3/.test(text) ? 8 : 1), 0);
    };
    const { byHandler, messages } = await manageBy(dear, over, off);
    expect(byHandler).toBeLessThanOrEqual(ALLOWED);
    expect(messages.filter((message) => message.isTruncationMarker === true)).toHaveLength(1);
  });

  test("a last message larger than the window is clipped until it fits", async () => {
    const huge = [...longTalk(2, 100), tag(user(words(60_000)), { id: "huge" })];
    for (const factor of [0.5, 1, 3]) {
      expect((await manageBy(times(factor), huge, off)).byHandler).toBeLessThanOrEqual(ALLOWED);
    }
  });
});

describe("a handler's counter", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const count = (content: Content) => 2 * countContentTokens(content);
  const manage = (countTokens: ModelHandler["countTokens"]) =>
    manageContext({
      ...SETTINGS,
      ...off,
      messages: over,
      totalTokens: 2 * totalTokens(over, SETTINGS.systemPrompt),
      apiHandler: handler(good, { countTokens }),
    });

  test("may answer at once or later", async () => {
    const [atOnce, later] = [await manage(count), await manage(async (content) => count(content))];
    expect(atOnce).toEqual(later);
    expect(atOnce.prevContextTokens).toBe(
      2 * totalTokens(over, SETTINGS.systemPrompt) + 2 * countMessagesTokens(over.slice(-1)),
    );
  });

  test.each<[string, ModelHandler["countTokens"]]>([
    [
      "throws",
      () => {
        throw new Error("no network");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no network"))],
    ["returns NaN", () => Number.NaN],
    ["returns a negative number", () => -5],
    ["returns Infinity", async () => Number.POSITIVE_INFINITY],
    ["returns a text", () => JSON.parse('"many"')],
    ["returns nothing", () => JSON.parse("null")],
  ])("that %s is passed over, and ours applies", async (_, countTokens) => {
    const outcome = await manage(countTokens);
    expect(outcome).toEqual(await manage(undefined));
    expect(outcome.newContextTokensAfterTruncation).toBeLessThanOrEqual(ALLOWED);
  });

  test("that never answers is not waited for for ever", async () => {
    vi.useFakeTimers();
    const managed = manage(() => new Promise<number>(() => {}));
    await vi.advanceTimersByTimeAsync(120_000);
    expect(await managed).toEqual(await manage(undefined));
  });

  test("that says nothing costs anything does not keep a context from fitting that was told to be too large", async () => {
    const outcome = await manage(() => 0);
    expect(countMessagesTokens(effectiveView(outcome.messages))).toBeLessThanOrEqual(ALLOWED / 2);
  });
});

describe("a model with a smaller window", () => {
  test.each([true, false])(
    "gets a context that fits it, whether or not condensing is on: %s",
    async (autoCondenseContext) => {
      // 120,000 tokens, managed for 200,000 until now.
      const talk = toolLoop(60, 2_000);
      for (const contextWindow of [64_000, 32_000, 16_000, 10_000]) {
        const apiHandler = handler(good, { contextWindow });
        const options = {
          ...SETTINGS,
          messages: talk,
          apiHandler,
          contextWindow,
          autoCondenseContext,
          maxTokens: 2_000,
        };
        const outcome = await manageContext({ ...options, totalTokens: totalTokens(talk, SETTINGS.systemPrompt) });
        const view = effectiveView(outcome.messages);
        expect(countMessagesTokens(view)).toBeLessThanOrEqual(contextWindow * 0.9 - 2_000);
        expect(validateView(view)).toEqual([]);
        expect(restoreAllMessages(outcome.messages)).toEqual(talk);
        expect(apiHandler.asked.length > 0).toBe(autoCondenseContext);
        // What is asked to condense fits the smaller window too.
        for (const { systemPrompt, messages, call } of apiHandler.asked) {
          const tokens = countTextTokens(systemPrompt) + countMessagesTokens(messages) + (call?.maxOutputTokens ?? 0);
          expect(tokens).toBeLessThanOrEqual(contextWindow);
        }
      }
    },
  );
});

describe("what cannot fit", () => {
  test("is as small as it can be, and a warning says the numbers", async () => {
    const outcome = await manageBy(countContentTokens, over, { ...off, systemPrompt: words(30_000) });
    expect(outcome.byHandler).toBeLessThan(31_000);
    expect(outcome.warnings).toEqual([expect.stringMatching(new RegExp(`${outcome.byHandler} tokens.*24800`))]);
    expect(restoreAllMessages(outcome.messages)).toEqual(over);
  });

  test("for a window that the default reply alone fills, says that maxTokens is missing", async () => {
    const { maxTokens: _notGiven, ...settings } = SETTINGS;
    const options = { ...settings, messages: longTalk(5, 50), totalTokens: 200, contextWindow: 8_192 };
    const { warnings } = await manageContext({ ...options, apiHandler: handler(good) });
    expect(warnings).toContainEqual(expect.stringMatching(/^A window of 8192 tokens .* the 8192 .* Pass maxTokens\.$/));
  });

  test("stays as it is when it is managed once more: folding has an end", async () => {
    const settings = { ...off, systemPrompt: words(30_000) };
    let messages: readonly Message[] = over;
    const lengths: number[] = [];
    for (let turn = 0; turn < 5; turn++) {
      ({ messages } = await manageBy(countContentTokens, messages, settings));
      lengths.push(messages.length);
    }
    expect(new Set(lengths).size).toBe(1);
  });
});

describe("a log that was damaged before", () => {
  test.each<[string, readonly Message[]]>([
    [
      "by tags that name nothing",
      over.map((each, index) => (index % 4 === 1 ? tag(each, { truncationParent: "gone" }) : each)),
    ],
    [
      "by a result that comes twice",
      [
        ...over.slice(0, 3),
        tag(assistant({ type: "tool_use", id: "t1", name: "run", input: {} }), { id: "call" }),
        tag(user({ type: "tool_result", tool_use_id: "t1", content: "once" }), { id: "once" }),
        ...over.slice(3, 32),
        tag(user({ type: "tool_result", tool_use_id: "t1", content: "twice" }), { id: "twice" }),
        ...over.slice(32),
      ],
    ],
    [
      "by results without calls",
      over.map((each, index) =>
        index % 4 === 2
          ? tag(user({ type: "tool_result", tool_use_id: `t${index}`, content: words(1_000) }), { id: each.id })
          : each,
      ),
    ],
    ["by an assistant that speaks first", over.slice(1)],
    ["by empty messages", over.map((each, index) => (index % 4 === 1 ? tag(assistant(""), { id: each.id }) : each))],
  ])("%s is made to fit all the same", async (_, damaged) => {
    for (const changes of [off, {}]) {
      const outcome = await manageBy(countContentTokens, damaged, { ...changes, totalTokens: 41_000 });
      expect(outcome.byHandler).toBeLessThanOrEqual(ALLOWED);
      expect(outcome.error).toBeUndefined();
    }
    const failed = await manageBy(countContentTokens, damaged, {
      apiHandler: handler(FAILING.throws),
      totalTokens: 41_000,
    });
    expect(failed.byHandler).toBeLessThanOrEqual(ALLOWED);
  });
});

/** So many calls that each read 400 tokens or as many as told, the first of them named by `from`. */
const steps = (from: number, count: number, tokensEach = 400) =>
  Array.from({ length: count }, (_, index) => [
    assistant(call(`p${from + index}`)),
    user(result(`p${from + index}`, words(tokensEach, `part${from + index}`))),
  ]).flat();

describe.each([2, 90])("of a log with %i calls before the damage, the view is one that providers take", (count) => {
  const [half, isLong] = [count / 2, count > 2];
  describe.each<[string, readonly Message[]]>([
    ["an aborted call", [assistant(call("z")), user("never mind")]],
    ["one of two results missing", [assistant(call("y"), call("z")), user(result("y"))]],
    ["a result without its call", [user(result("z"))]],
    ["a doubled result", [assistant(call("z")), user(result("z")), user(result("z"))]],
    ["an empty turn of the assistant", [{ role: "assistant", content: [] }, user("so?"), assistant(""), user("hm")]],
    ["a result far from its call", [assistant(call("z")), user("wait"), ...steps(2_000, half), user(result("z"))]],
  ])("with %s", (_, damage) => {
    test.each([true, false])("when condensing is on: %s", async (autoCondenseContext) => {
      const messages = log(user("go"), ...steps(0, half), ...damage, ...steps(1_000, half), user("next"));
      const before = structuredClone(messages);
      const outcome = await manageBy(countContentTokens, deepFreeze(messages), { autoCondenseContext });
      expect(validateView(getEffectiveApiHistory(outcome.messages))).toEqual([]);
      expect(outcome.condenseId !== undefined).toBe(isLong && autoCondenseContext);
      expect(outcome.truncationId !== undefined).toBe(isLong && !autoCondenseContext);
      expect(outcome.byHandler).toBeLessThanOrEqual(ALLOWED);
      expect(messages).toEqual(before);
      expect(restoreAllMessages(outcome.messages)).toEqual(before);
    });
  });
});

test("a call and its result 120 messages apart do not hold together what lies between them", async () => {
  const between = steps(0, 60, 1_000);
  const far = log(user("go"), assistant(call("z")), ...between, user(result("z")), user("next"));
  const { messages, truncationId, byHandler } = await manageBy(countContentTokens, far, off);
  expect(byHandler).toBeLessThanOrEqual(ALLOWED);
  expect(byHandler).toBeGreaterThan(ALLOWED / 2);
  expect(ids(effectiveView(messages))).toEqual(["m0", truncationId, ...ids(far.slice(94))]);
  expect(validateView(getEffectiveApiHistory(messages))).toEqual([]);
});
