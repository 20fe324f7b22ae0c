/** What a hostile or broken caller, counter or log must not be able to do. */
import { spawnSync } from "node:child_process";
import { get_encoding } from "tiktoken";
import { afterAll, describe, expect, test } from "vitest";
import { restoreAllMessages, restoreMessages } from "../../src/core/history/restore.ts";
import { checkMessages } from "../../src/core/message/check-messages.ts";
import { effectiveView } from "../../src/core/message/effective-view.ts";
import type { Block, Message } from "../../src/core/message/message.ts";
import { validateView } from "../../src/core/message/validate-view.ts";
import { countContentTokens } from "../../src/core/tokens/count-content.ts";
import { anchor, createForecast, forecast } from "../../src/core/tokens/forecast.ts";
import { countTextTokens } from "../../src/core/tokens/o200k/count-text-tokens.ts";
import { clearToolResults } from "../../src/core/truncate/clear-tool-results.ts";
import { foldToFit } from "../../src/core/truncate/fold-to-fit.ts";
import { truncateToFit } from "../../src/core/truncate/truncate-to-fit.ts";
import { assistant, call, log, result, tag, talk, text, user } from "../support/messages.ts";

const oracle = get_encoding("o200k_base");
afterAll(() => oracle.free());

const words = (count: number) => "parser returns the value ".repeat(Math.ceil(count / 4));

/** Numbers between 0 and 1 that are the same in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A call and its result, `count` times. */
function traffic(count: number, idOf = (index: number) => `c${index}`): readonly Message[] {
  return Array.from({ length: count }, (_, index) => [
    assistant(text(`step ${index}`), call(idOf(index))),
    user(result(idOf(index), `${index} ${words(300)}`)),
  ]).flat();
}

describe("a counter that returns no usable number", () => {
  const traffics = log(user("goal"), ...traffic(20), assistant("done"));
  const infiniteWhereLarge = (content: Message["content"]) => {
    const tokens = countContentTokens(content);
    return tokens > 200 ? Number.POSITIVE_INFINITY : tokens;
  };

  test("never hangs a fold", () => {
    const source = new URL("../../src/core/truncate/clip/clip-blocks.ts", import.meta.url).href;
    const script = `import { clipBlocks } from ${JSON.stringify(source)};
      const messages = [{ role: "user", content: "a long text ".repeat(100) }];
      try { clipBlocks(messages, { messageIndexes: [0], budgetTokens: 50, countTokens: () => Infinity }); } catch {}`;
    const { status, error } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { timeout: 60_000 });
    expect({ status, error }).toEqual({ status: 0, error: undefined });
  });

  test("is refused, or leaves a log that can still be read", () => {
    let messages = traffics;
    try {
      messages = clearToolResults(traffics, { countTokens: infiniteWhereLarge }).messages;
    } catch {
      // Refusing is fine: the log is what it was.
    }
    expect(() => checkMessages(messages)).not.toThrow();
  });
});

describe("content without JSON", () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const deep: unknown = JSON.parse("[".repeat(20_000) + "]".repeat(20_000));

  test.each([
    ["a cycle", cycle],
    ["a big integer", 1n],
    ["a depth beyond the stack", deep],
  ])("in an unknown item of a tool result (%s) does not stop a fold", (_, data) => {
    const items: readonly Block[] = [{ type: "custom", data }, text(words(2_000))];
    const block: Block = { type: "tool_result", tool_use_id: "c", content: items };
    const messages = [user("goal"), assistant(call("c")), user(block), assistant("done"), user("next")];
    expect(foldToFit(messages, { allowedTokens: 500 }).type).toBe("folded");
  });

  test.each([
    ["a cycle", cycle],
    ["a big integer", { n: 1n }],
    ["a depth beyond the stack", deep],
  ])("in the arguments of a call (%s) does not stop a fold", (_, input) => {
    const messages = [user("goal"), assistant(call("c", "write", input), text(words(900))), user(result("c"))];
    expect(foldToFit(messages, { allowedTokens: 200 }).type).toBe("folded");
  });
});

test("restoring a fold that is not named is refused: nothing is lost", () => {
  const messages = log(...talk(6));
  const notNamed = JSON.parse("{}").foldId;
  expect(() => restoreMessages(messages, notNamed)).toThrow("fold");
});

describe("many important messages", () => {
  const pinned = (message: Message) => tag(message, { important: true });

  test("leave the current turn readable", () => {
    const question = `Which of them fails? ${words(24)}`;
    const important = talk(250).map((message) => pinned({ ...message, content: `${message.content} ${words(60)}` }));
    const { messages, type } = foldToFit(log(user("goal"), ...important, assistant("ok"), user(question)), {
      allowedTokens: 4_000,
    });
    expect(type).toBe("folded");
    expect(effectiveView(messages).at(-1)?.content).toBe(question);
  });

  test("are not folded again at every turn", () => {
    let messages = log(user("goal"), assistant("ok"));
    let folded = 0;
    for (let turn = 0; turn < 60; turn++) {
      messages = [...messages, pinned(user(`${turn} ${words(120)}`)), pinned(assistant(`${turn} ${words(120)}`))];
      const fit = foldToFit(messages, { allowedTokens: 4_000 });
      if (fit.type !== "unchanged") folded++;
      messages = fit.messages;
    }
    expect(folded).toBeLessThan(30);
    expect(Math.max(...messages.map((message) => message.folds?.length ?? 0))).toBeLessThan(10);
  });
});

test("no marker is hidden behind another one of the same fit, and messages are counted once", () => {
  const hideable = talk(41).map((message) => ({ ...message, content: `${message.content} ${words(60)}` }));
  const messages = log(user(`goal ${words(40)}`), ...hideable, user(`next ${words(40)}`));
  const fit = foldToFit(messages, { allowedTokens: 50 });
  expect(fit.messagesHidden).toBe(hideable.length);
  expect(fit.foldIds.filter((id) => id.startsWith("truncate"))).toHaveLength(1);
});

describe("hostile ids", () => {
  test.each([
    ["__proto__", "__proto__"],
    ["constructor", "constructor"],
    ["nothing", ""],
    ["a lone surrogate", "\ud800"],
    ["a NUL", "i\0d"],
    ["20,000 characters", "x".repeat(20_000)],
  ])("%s", (_, id) => {
    const reused = [user("goal"), ...traffic(20, (index) => `${id}${index || ""}`), assistant("done"), user("next")];
    const messages: readonly Message[] = JSON.parse(JSON.stringify(reused.map((message) => ({ ...message, id }))));
    for (const allowedTokens of [60, 900, 5_000]) {
      for (const bringUnder of [foldToFit, truncateToFit]) {
        const fit = bringUnder(messages, { allowedTokens });
        const reloaded = bringUnder(JSON.parse(JSON.stringify(messages)), { allowedTokens });
        expect(JSON.stringify(reloaded)).toBe(JSON.stringify(fit));
        expect(validateView(effectiveView(fit.messages))).toEqual([]);
        expect(JSON.stringify(restoreAllMessages(fit.messages))).toBe(JSON.stringify(messages));
      }
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

test("text made of tokens and parts of tokens counts as tiktoken counts it", () => {
  const random = randomNumbers(42);
  const pick = () => new TextDecoder().decode(oracle.decode_single_token_bytes(Math.floor(random() * 199_998)));
  for (let round = 0; round < 3_000; round++) {
    const parts = Array.from({ length: 1 + Math.floor(random() * 30) }, () => {
      const token = pick();
      return random() < 0.3 ? token.slice(Math.floor(random() * token.length)) : token;
    });
    const joined = parts.join("");
    expect(countTextTokens(joined), JSON.stringify(joined)).toBe(oracle.encode(joined, [], []).length);
  }
});

test("a forecast stays a number whatever is reported", () => {
  const random = randomNumbers(9);
  const numbers = [0, 1, 100, 1e6, 1e100, 1e308, -1, Number.NaN, Number.POSITIVE_INFINITY, 0.5];
  const any = () => numbers[Math.floor(random() * numbers.length)] ?? 0;
  let state = createForecast();
  for (let round = 0; round < 2_000; round++) {
    const newMessages = [assistant(words(1 + random() * 40)), user(words(1 + random() * 40))];
    const usage = { inputTokens: any(), cacheReadTokens: any(), cacheWriteTokens: any(), outputTokens: any() };
    state = anchor(state, usage, { newMessages });
    expect(forecast(state, newMessages)).toBeGreaterThanOrEqual(0);
    expect(Number.isFinite(forecast(state, newMessages))).toBe(true);
  }
});
