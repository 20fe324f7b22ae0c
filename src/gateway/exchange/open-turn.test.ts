import { describe, expect, test } from "vitest";
import { asking, gatewayTurns, steps } from "../../../test/support/gateway-turns.ts";
import { interceptStore } from "../../../test/support/intercepted-store.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { memoryStore } from "../../stores/memory/index.ts";

const MINE = { "x-palimpsest-session": "mine" };
const tooLong = { by: "tokens" } as const;
const usageOf = (inputTokens: number) => JSON.stringify({ usage: { input_tokens: inputTokens, output_tokens: 1 } });

describe("a request that was refused as too long", () => {
  test("is shortened further by our own count, however many tokens the upstream makes of it", async () => {
    const gateway = gatewayTurns();
    const request = asking(steps("a", 8, { resultLength: 14_000 }), { headers: MINE });
    const turn = await gateway.turns.begin(request);
    const refuse = async (promptTokens: number) => turn?.shorten({ ...tooLong, promptTokens, limitTokens: 20_000 });
    const once = (await refuse(90_000)) ?? "";
    const twice = (await refuse(26_000)) ?? "";
    expect(once.length).toBeLessThan(request.body.length / 2);
    expect(twice.length).toBeLessThan(once.length);
    expect(twice).not.toBe("");
  });

  test("is sent three times more at the most, though it could be shorter still", async () => {
    const gateway = gatewayTurns();
    const request = asking(steps("a", 40, { resultLength: 8_000 }), { headers: MINE });
    const turn = await gateway.turns.begin(request);
    const lengths = [request.body.length];
    for (let body = await turn?.shorten(tooLong); body !== undefined; body = await turn?.shorten(tooLong)) {
      lengths.push(body.length);
    }
    expect(lengths).toHaveLength(4);
    expect(lengths).toEqual(lengths.toSorted((one, other) => other - one));
    turn?.end({ status: 400, isComplete: true });
    expect(gateway.activities).toContainEqual(expect.objectContaining({ type: "request", retries: 3 }));
  });

  test("teaches its session nothing where the session's store failed and it was folded by itself", async () => {
    let isBroken = false;
    const before = () => {
      if (isBroken) throw new Error("disk");
    };
    const gateway = gatewayTurns({ store: interceptStore(memoryStore(), { before }) });
    const request = asking(steps("a", 30, { resultLength: 2_000 }), { headers: MINE });
    const session = async () => (await gateway.engine.session("mine")).snapshot();
    await gateway.exchange(request);
    const { nextTokenRatio } = await session();
    const turn = await gateway.turns.begin(request);
    isBroken = true;
    const shorter = await turn?.shorten({ ...tooLong, promptTokens: 30_000, limitTokens: 10_000 });
    isBroken = false;
    expect(shorter?.length).toBeLessThan(request.body.length / 2);
    turn?.follower.push(usageOf(5_000));
    turn?.end({ status: 200, isComplete: true });
    await gateway.exchange(asking(steps("b", 1)));
    expect((await session()).nextTokenRatio).toBe(nextTokenRatio);
  });
});

describe("a reply that reports a prompt of no tokens", () => {
  test("reports nothing: the conversation is folded all the same", async () => {
    const gateway = gatewayTurns({ window: 16_000 });
    for (let count = 0; count <= 40; count++) {
      const turn = await gateway.turns.begin(asking(steps("a", count, { resultLength: 2_000 }), { headers: MINE }));
      turn?.follower.push(usageOf(0));
      turn?.end({ status: 200, isComplete: true });
      await gateway.exchange(asking(steps("b", 1)));
      expect(Number(turn?.headers()["x-palimpsest-tokens-sent"])).toBeLessThan(16_000 * 0.9);
    }
    const mine = gateway.activities.filter((each) => each.type === "request" && each.sessionId === "mine");
    expect(mine).toHaveLength(41);
    for (const activity of mine) expect(activity).not.toMatchObject({ tokensSent: 0 });
  });
});

describe("a reply's allowance that is larger than the window", () => {
  // Of what system prompt and tools leave.
  const QUARTER = /"max_tokens":79\d\d\b/;
  const tooMuch = { by: "reply", limitTokens: 32_000 } as const;
  const wordy = (id: string) => asking(steps(id, 2), { more: { max_tokens: 128_000 } });

  test("is lowered for each of several requests that were sent before that was known", async () => {
    const gateway = gatewayTurns();
    const turns = [await gateway.turns.begin(wordy("a")), await gateway.turns.begin(wordy("b"))];
    for (const turn of turns) {
      expect(turn?.body).toBeUndefined();
      expect(await turn?.shorten(tooMuch)).toMatch(QUARTER);
      expect(turn?.headers()["x-palimpsest-reply-limit"]).toMatch(/^79\d\d$/);
    }
    expect((await gateway.turns.begin(wordy("c")))?.body).toMatch(QUARTER);
  });

  test("is told only where it was lowered", async () => {
    const gateway = gatewayTurns();
    const [one, other] = [await gateway.turns.begin(wordy("a")), await gateway.turns.begin(wordy("b"))];
    await one?.shorten(tooMuch);
    expect(other?.headers()).not.toHaveProperty("x-palimpsest-reply-limit");
  });

  test("is not lowered again and again: the refusal is passed on then", async () => {
    const gateway = gatewayTurns();
    const turn = await gateway.turns.begin(wordy("a"));
    expect(await turn?.shorten(tooMuch)).toBeDefined();
    expect(await turn?.shorten(tooMuch)).toBeUndefined();
  });

  test("is left alone where the API has no such limit", async () => {
    const gateway = gatewayTurns();
    const contents = [{ role: "user", parts: [{ text: "Go on." }] }];
    const body = Buffer.from(JSON.stringify({ contents, generationConfig: { maxOutputTokens: 128_000 } }));
    const path = "/v1beta/models/gemini-2.5-pro:generateContent";
    const turn = await gateway.turns.begin({ ...asking([]), api: "gemini", path, body });
    expect(await turn?.shorten(tooMuch)).toBeUndefined();
    expect(turn?.headers()).not.toHaveProperty("x-palimpsest-reply-limit");
  });
});

test("a result that grew behind a fold is counted as it is now", async () => {
  const gateway = gatewayTurns({ window: 16_000 });
  const history = (count: number) =>
    steps("a", count, { resultLength: 2_000 }).map((message) => {
      const text = JSON.stringify(message).replaceAll(/call-a-(\d+)/g, "toolu_01XyZabcdefGhijKlmn$1");
      const renamed: typeof message = JSON.parse(text);
      return renamed;
    });
  let count = 0;
  while ((await gateway.exchange(asking(history(count), { headers: MINE }))).body === undefined) count++;
  await gateway.exchange(asking(history(count + 1), { headers: MINE }));
  const grown = history(count + 2);
  const lines = Array.from({ length: 9_000 }, (_, line) => `line ${line} of the log`).join("\n");
  const before = grown.at(-3);
  if (before === undefined) throw new Error("There is a result before the last.");
  const content = JSON.parse(JSON.stringify(before.content));
  content[0].content = lines;
  const turn = await gateway.exchange(
    asking([...grown.slice(0, -3), { ...before, content }, ...grown.slice(-2)], { headers: MINE }),
  );
  expect(turn.body?.length).toBeLessThan(60_000);
  expect(Number(turn.headers()["x-palimpsest-tokens-in"])).toBeGreaterThan(50_000);
  expect(Number(turn.headers()["x-palimpsest-tokens-sent"])).toBeLessThan(16_000);
});

describe("a reply that is no success", () => {
  const request = asking(steps("a", 30, { resultLength: 4_000 }), { headers: MINE, more: { model: "unknown" } });

  /** Well beyond what we count, and what a tokenizer can still make of it. */
  const REPORTED_TOKENS = 60_000;

  /** Answers with a status, and with a usage beyond what we count. */
  async function answer(gateway: ReturnType<typeof gatewayTurns>, status: number): Promise<void> {
    const turn = await gateway.turns.begin(request);
    turn?.follower.push(usageOf(REPORTED_TOKENS));
    turn?.end({ status, isComplete: true });
    await gateway.pool.settled();
  }

  test.each([
    { status: 200, isLearnt: true },
    { status: 299, isLearnt: true },
    { status: 300, isLearnt: false },
    { status: 429, isLearnt: false },
    { status: 529, isLearnt: false },
  ])("with $status teaches its session the model's tokens: $isLearnt", async ({ status, isLearnt }) => {
    const gateway = gatewayTurns();
    await gateway.exchange(request);
    await answer(gateway, status);
    const { nextTokenRatio } = await (await gateway.engine.session("mine")).snapshot();
    expect(nextTokenRatio > 1).toBe(isLearnt);
  });

  test.each([
    { status: 200, isLifted: true },
    { status: 500, isLifted: false },
  ])("with $status lifts a window that was only guessed: $isLifted", async ({ status, isLifted }) => {
    const gateway = gatewayTurns();
    const refused = await gateway.turns.begin(request);
    await refused?.shorten(tooLong);
    refused?.end({ status: 400, isComplete: true });
    await gateway.pool.settled();
    await answer(gateway, status);
    const other = { headers: { "x-palimpsest-session": "other" }, more: { model: "unknown" } };
    const sent = await gateway.exchange(asking(steps("b", 30, { resultLength: 4_000 }), other));
    expect(sent.body === undefined).toBe(isLifted);
  });
});

describe("a reply that reports more tokens than we count", () => {
  test.each([
    { more: "a few more", share: 1.003 },
    { more: "2 % more", share: 1.02 },
    { more: "a third more", share: 1.333 },
  ])(
    "$more: the next prompt is foretold from there, and what was said so far is decided as it was",
    async ({ share }) => {
      const gateway = gatewayTurns();
      const session = async () => (await gateway.engine.session("mine")).snapshot();
      const talk = (count: number) =>
        asking(steps("a", count, { resultLength: 4_000 }), { headers: MINE, more: { model: "unknown" } });
      await gateway.exchange(talk(30));
      const turn = await gateway.turns.begin(talk(30));
      const before = await session();
      const reported = Math.ceil(share * countMessagesTokens(before.view));
      turn?.follower.push(usageOf(reported));
      turn?.end({ status: 200, isComplete: true });
      await gateway.exchange(asking(steps("b", 1)));
      const { forecast, nextForecast } = await session();
      expect(forecast.state.calibration).toEqual(before.forecast.state.calibration);
      expect(nextForecast).toMatchObject({
        viewMessages: before.view.length,
        state: { anchor: { promptTokens: reported } },
      });
      expect(Math.abs(nextForecast.state.calibration.input.ratio - share)).toBeLessThan(0.02);
      const next = await gateway.exchange(talk(31));
      const foretold = Number(next.headers()["x-palimpsest-tokens-sent"]);
      const truth = reported + share * countMessagesTokens((await session()).view.slice(before.view.length));
      expect(Math.abs(foretold - truth) / truth).toBeLessThan(0.01);
    },
  );
});
