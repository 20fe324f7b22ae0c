import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { type Content, isKnownBlock, type Message } from "../message/message.ts";
import { anchor, createForecast, type ForecastState, forecast, type ReportedUsage, rebase } from "./forecast.ts";

// one letter, one token
function countTokens(content: Content): number {
  if (typeof content === "string") return content.length;
  return content.reduce(
    (sum, block) => sum + (isKnownBlock(block) && block.type === "text" ? block.text.length : 0),
    0,
  );
}

function says(role: Message["role"], ...blockTokens: readonly number[]): Message {
  return { role, content: blockTokens.map((tokens) => ({ type: "text", text: "x".repeat(tokens) })) };
}

// a repeatable sequence of numbers in [0, 1)
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

interface Turn {
  readonly newMessages: readonly Message[];
  readonly usage: ReportedUsage & { readonly outputTokens: number };
  readonly promptTokens: number;
}

const OVERHEAD = 18_000;

/** Traffic of a provider that makes 1.17 tokens of one of ours, adds 4 per block, and scatters by 2 %. */
function traffic(turns: number, seed = 1): readonly Turn[] {
  const random = createRandom(seed);
  const trueTokens = ({ content }: Message) => {
    const blocks = typeof content === "string" ? 1 : content.length;
    return (1.17 * countTokens(content) + 4 * blocks) * (0.98 + 0.04 * random());
  };
  const result: Turn[] = [];
  let promptTokens = OVERHEAD;
  let reply: Message | undefined;
  for (let i = 0; i < turns; i++) {
    const size = () => Math.ceil(20 + 1_500 * random() ** 3);
    const input = says("user", ...Array.from({ length: 1 + Math.floor(3 * random()) }, size));
    const replyTokens = result.at(-1)?.usage.outputTokens ?? 0;
    promptTokens += Math.round(trueTokens(input)) + replyTokens;
    const newMessages = reply === undefined ? [input] : [reply, input];
    reply = says("assistant", size(), size());
    const outputTokens = Math.round(trueTokens(reply));
    result.push({ newMessages, promptTokens, usage: { inputTokens: promptTokens, outputTokens } });
  }
  return result;
}

function replay(turns: readonly Turn[], start = createForecast()): { state: ForecastState; errors: readonly number[] } {
  let state = start;
  const errors: number[] = [];
  for (const { newMessages, promptTokens, usage } of turns) {
    errors.push(Math.abs(forecast(state, newMessages, countTokens) - promptTokens) / promptTokens);
    state = anchor(state, usage, { newMessages, countTokens });
  }
  return { state, errors };
}

describe("forecast without an anchor", () => {
  test("is our count of all messages, plus what we know of system prompt and tools", () => {
    const messages = [says("user", 500), says("assistant", 300)];
    expect(forecast(createForecast(), messages, countTokens)).toBe(500 + 300 + 2 * 4);
    expect(forecast(createForecast({ overheadTokens: 9_000 }), messages, countTokens)).toBe(9_808);
    expect(forecast(createForecast({ tokenRatio: 1.5, overheadTokens: 9_000 }), messages, countTokens)).toBe(
      1.5 * 9_800 + 8,
    );
  });

  test("an overhead that is no count is refused", () => {
    expect(() => createForecast({ overheadTokens: Number.NaN })).toThrow(/overheadTokens is NaN/);
  });

  test("an empty conversation is as long as its overhead", () => {
    expect(forecast(createForecast(), [], countTokens)).toBe(0);
  });
});

describe("forecast with an anchor", () => {
  test("adds what came after to the last reported prompt, cached parts included", () => {
    const usage = { inputTokens: 10, cacheReadTokens: 40_000, cacheWriteTokens: 2_000 };
    const state = anchor(createForecast(), usage);
    expect(forecast(state, [], countTokens)).toBe(42_010);
    expect(forecast(state, [says("user", 1_000)], countTokens)).toBe(43_014);
  });

  test("takes the size of the reply from the provider, hidden reasoning and all", () => {
    const state = anchor(createForecast(), { inputTokens: 5_000, outputTokens: 1_800 });
    expect(forecast(state, [says("assistant", 200), says("user", 96)], countTokens)).toBe(5_000 + 1_800 + 100);
  });

  test("counts the reply itself where the report covers only the start of a stream", () => {
    const state = anchor(createForecast(), { inputTokens: 5_000, outputTokens: 3 });
    expect(forecast(state, [says("assistant", 996)], countTokens)).toBe(6_000);
  });

  test("leaves out a reply that was thrown away", () => {
    const state = anchor(createForecast(), { inputTokens: 5_000, outputTokens: 1_800 });
    expect(forecast(state, [says("user", 96)], countTokens)).toBe(5_100);
  });

  test("counts each new message once and no other", () => {
    const { state } = replay(traffic(200));
    let calls = 0;
    const counting = (content: Content) => {
      calls++;
      return countTokens(content);
    };
    const newMessages = [says("assistant", 10), says("user", 10), says("user", 10)];
    forecast(state, newMessages, counting);
    expect(calls).toBe(3);
    anchor(state, { inputTokens: 900_000 }, { newMessages, countTokens: counting });
    expect(calls).toBe(3);
  });
});

describe("learning from traffic", () => {
  test("the error is below one percent at the 99th percentile once warm", () => {
    for (const seed of [1, 2, 3]) {
      const warm = replay(traffic(220, seed))
        .errors.slice(20)
        .toSorted((a, b) => a - b);
      expect(warm[Math.floor(0.99 * warm.length)]).toBeLessThan(0.01);
    }
  });

  test("finds the provider's ratio and price per block", () => {
    const { input } = replay(traffic(200)).state.calibration;
    expect(input.ratio).toBeGreaterThan(1.15);
    expect(input.ratio).toBeLessThan(1.19);
  });

  test("a cold recount after a rewrite is within three percent, and the next report anchors again", () => {
    const turns = traffic(120);
    const { state } = replay(turns);
    const kept = turns.slice(-40).flatMap((turn) => turn.newMessages);
    const keptTokens = (turns.at(-1)?.promptTokens ?? 0) - (turns.at(-41)?.promptTokens ?? 0);
    const cold = rebase(state);
    const predicted = forecast(cold, kept, countTokens);
    expect(Math.abs(predicted - (OVERHEAD + keptTokens)) / (OVERHEAD + keptTokens)).toBeLessThan(0.03);

    const anchored = anchor(cold, { inputTokens: OVERHEAD + keptTokens }, { newMessages: kept, countTokens });
    expect(forecast(anchored, [], countTokens)).toBe(OVERHEAD + keptTokens);
  });

  test("what one session learned starts the next one warm", () => {
    const { calibration } = replay(traffic(120)).state;
    const { errors } = replay(traffic(30, 9), createForecast({ calibration }));
    expect(Math.max(...errors.slice(1))).toBeLessThan(0.01);
  });

  test("growth that the messages do not explain moves the anchor but not the calibration", () => {
    const { state } = replay(traffic(60));
    const newMessages = [says("user", 200)];
    const promptTokens = forecast(state, newMessages, countTokens) + 30_000;
    const after = anchor(state, { inputTokens: promptTokens }, { newMessages, countTokens });
    expect(after.calibration.input.ratio).toBe(state.calibration.input.ratio);
    expect(forecast(after, [], countTokens)).toBe(promptTokens);
  });

  test("a reply that did not come back whole teaches nothing", () => {
    const state = anchor(createForecast(), { inputTokens: 10_000, outputTokens: 5_000 });
    const newMessages = [says("assistant", 400), says("user", 200)];
    const after = anchor(state, { inputTokens: 10_700 }, { newMessages, countTokens });
    expect(after.calibration).toEqual(state.calibration);
  });

  test("a prompt that shrank teaches nothing and becomes the anchor", () => {
    const { state } = replay(traffic(60));
    const after = anchor(state, { inputTokens: 7_000 }, { newMessages: [says("user", 200)], countTokens });
    expect(after.calibration).toEqual(state.calibration);
    expect(forecast(after, [], countTokens)).toBe(7_000);
  });
});

describe("a report that cannot be read", () => {
  const UNREADABLE: readonly ReportedUsage[] = [
    { inputTokens: 0 },
    { inputTokens: Number.NaN },
    { inputTokens: -1 },
    { inputTokens: Number.POSITIVE_INFINITY },
    { inputTokens: 10, cacheReadTokens: -3 },
  ];

  test.each(UNREADABLE)("%o: our own estimate becomes the anchor", (usage) => {
    const { state } = replay(traffic(40));
    const newMessages = [says("user", 400)];
    const expected = forecast(state, newMessages, countTokens);
    const after = anchor(state, usage, { newMessages, countTokens });
    expect(forecast(after, [], countTokens)).toBe(expected);
  });

  test("nothing is learned from growth over an estimate", () => {
    const { state } = replay(traffic(40));
    const sent = { newMessages: [says("user", 400)], countTokens };
    const estimated = anchor(state, { inputTokens: 0 }, sent);
    const after = anchor(estimated, { inputTokens: forecast(estimated, [], countTokens) + 700 }, sent);
    expect(after.calibration).toEqual(state.calibration);
  });

  test("without the messages there is nothing to go by: the state stays", () => {
    const { state } = replay(traffic(5));
    expect(anchor(state, { inputTokens: Number.NaN })).toBe(state);
  });
});

describe("the state", () => {
  test("goes through JSON unchanged, at any time", () => {
    const turns = traffic(30);
    let throughJson = createForecast();
    for (const { newMessages, usage } of turns) {
      throughJson = JSON.parse(JSON.stringify(anchor(throughJson, usage, { newMessages, countTokens })));
    }
    expect(throughJson).toEqual(replay(turns).state);
  });

  test("does not grow with the session", () => {
    expect(JSON.stringify(replay(traffic(400)).state).length).toBeLessThan(800);
  });

  test("is usable after any reports at all", () => {
    const tokens = fc.oneof(fc.nat(2_000_000), fc.double());
    const usage = fc.record({ inputTokens: tokens, outputTokens: tokens, cacheReadTokens: tokens });
    const message = fc.record({ role: fc.constantFrom("user" as const, "assistant" as const), content: fc.string() });
    const step = fc.tuple(usage, fc.array(message, { maxLength: 4 }), fc.boolean());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        let state = createForecast();
        for (const [reported, newMessages, isRewritten] of steps) {
          state = anchor(isRewritten ? rebase(state) : state, reported, { newMessages, countTokens });
          const predicted = forecast(state, newMessages, countTokens);
          expect(Number.isFinite(predicted) && predicted >= 0).toBe(true);
        }
      }),
      PROPERTY_RUNS,
    );
  });

  test("refuses a counter that answers nonsense", () => {
    const sent = { newMessages: [says("user", 1)], countTokens: () => Number.NaN };
    expect(() => anchor(createForecast(), { inputTokens: 500 }, sent)).toThrow(/countTokens returned NaN/);
    expect(() => forecast(createForecast(), sent.newMessages, sent.countTokens)).toThrow(/countTokens returned NaN/);
  });
});
