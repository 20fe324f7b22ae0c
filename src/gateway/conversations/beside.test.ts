import { describe, expect, test } from "vitest";
import { anthropicAdapter } from "../../adapters/anthropic/index.ts";
import type { WireRequest } from "../../core/ports/wire-adapter.ts";
import { replyLimit, roomFor } from "./beside.ts";

const COUNTED = { contextWindow: 20_000, countsReply: true };

function requestFor(max_tokens: number, more: object = {}): WireRequest {
  const messages = [{ role: "user", content: "Go on." }];
  const body = JSON.stringify({ model: "claude-sonnet-4-5", max_tokens, messages, ...more });
  const request = anthropicAdapter.readRequest({ path: "/v1/messages", body });
  if (request === undefined) throw new Error("The request was not read.");
  return request;
}

describe("the reply's allowance", () => {
  test("is left as it is where the upstream does not count it, and a quarter of the window is kept free for it", () => {
    const request = requestFor(64_000);
    expect(replyLimit(request, { ...COUNTED, countsReply: false })).toBeUndefined();
    expect(roomFor(request, { ...COUNTED, countsReply: false }, undefined).maxTokens).toBe(5_000);
  });

  test("is left as it is where it leaves room enough, and is kept free as a whole", () => {
    const request = requestFor(9_000);
    expect(replyLimit(request, COUNTED)).toBeUndefined();
    expect(roomFor(request, COUNTED, undefined).maxTokens).toBe(9_000);
  });

  test("is lowered to a quarter of the window where it is more than half of it", () => {
    const request = requestFor(10_001);
    expect(replyLimit(request, COUNTED)).toBe(5_000);
    expect(roomFor(request, COUNTED, undefined).maxTokens).toBe(5_000);
  });

  test("is lowered where system prompt and tools leave hardly anything beside it", () => {
    expect(replyLimit(requestFor(8_192, { system: "word ".repeat(8_000) }), COUNTED)).toBe(5_000);
    expect(replyLimit(requestFor(8_192, { system: "word ".repeat(4_000) }), COUNTED)).toBeUndefined();
  });

  test("is never lowered below a budget for thinking, and never raised", () => {
    const thinking = { thinking: { type: "enabled", budget_tokens: 8_000 } };
    expect(replyLimit(requestFor(16_000, thinking), COUNTED)).toBe(8_001);
    expect(replyLimit(requestFor(4_000, { system: "word ".repeat(18_000) }), COUNTED)).toBeUndefined();
  });
});
