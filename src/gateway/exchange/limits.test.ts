import { describe, expect, test } from "vitest";
import { createModelRegistry } from "../../core/models/registry.ts";
import { createLearnedLimits } from "./limits.ts";

const SONNET = { api: "anthropic", upstream: "http://a", modelId: "claude-sonnet-4-5" } as const;
const GPT = { api: "openai-chat", upstream: "http://a", modelId: "gpt-4-turbo" } as const;
const registry = createModelRegistry();
const tooLong = { by: "tokens" } as const;

describe("what a prompt may be", () => {
  test("the registry knows, unless someone says otherwise", () => {
    expect(createLearnedLimits(registry).of(SONNET).contextWindow).toBe(200_000);
    const limits = createLearnedLimits(registry, { all: 32_000, models: { "gpt-4-turbo": 64_000 } });
    expect(limits.of(SONNET).contextWindow).toBe(32_000);
    expect(limits.of(GPT).contextWindow).toBe(64_000);
  });

  test("a refusal that names the limit teaches it, at that upstream and for that model alone", () => {
    const limits = createLearnedLimits(registry);
    limits.refused(SONNET, { ...tooLong, limitTokens: 60_000 }, { tokens: 90_000, bytes: 400_000 });
    expect(limits.of(SONNET).contextWindow).toBe(60_000);
    expect(limits.of({ ...SONNET, upstream: "http://b" }).contextWindow).toBe(200_000);
    expect(limits.of(GPT).contextWindow).toBe(128_000);
  });

  test("a limit above what is configured changes nothing", () => {
    const limits = createLearnedLimits(registry, { all: 32_000 });
    limits.refused(SONNET, { ...tooLong, limitTokens: 200_000 }, { tokens: 90_000, bytes: 400_000 });
    expect(limits.of(SONNET).contextWindow).toBe(32_000);
  });

  test("where none is named it is guessed, and what is taken later corrects the guess", () => {
    const limits = createLearnedLimits(registry);
    limits.refused(SONNET, tooLong, { tokens: 80_000, bytes: 400_000 });
    expect(limits.of(SONNET).contextWindow).toBe(60_000);
    limits.accepted(SONNET, 70_000);
    expect(limits.of(SONNET).contextWindow).toBe(70_000);
    limits.accepted(SONNET, 10_000);
    expect(limits.of(SONNET).contextWindow).toBe(70_000);
  });

  test("no guess is below what was taken before", () => {
    const limits = createLearnedLimits(registry);
    limits.accepted(SONNET, 76_000);
    limits.refused(SONNET, tooLong, { tokens: 80_000, bytes: 400_000 });
    expect(limits.of(SONNET).contextWindow).toBe(76_000);
  });

  test("a guess never lifts a limit that was named before", () => {
    const limits = createLearnedLimits(registry);
    limits.refused(SONNET, { ...tooLong, limitTokens: 60_000 }, { tokens: 90_000, bytes: 400_000 });
    limits.refused(SONNET, tooLong, { tokens: 100_000, bytes: 400_000 });
    expect(limits.of(SONNET).contextWindow).toBe(60_000);
  });

  test("too many bytes teach bytes, not tokens", () => {
    const limits = createLearnedLimits(registry);
    limits.refused(GPT, { by: "bytes" }, { tokens: 10, bytes: 1_000_000 });
    expect(limits.of(GPT)).toMatchObject({ contextWindow: 128_000, maxBodyBytes: 750_000 });
  });
});
