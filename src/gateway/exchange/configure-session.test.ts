import { describe, expect, test } from "vitest";
import { anthropicAdapter } from "../../adapters/anthropic/index.ts";
import type { WireRequest } from "../../core/ports/wire-adapter.ts";
import { createEngine } from "../../engine/create-engine.ts";
import type { ModelChoice } from "../../engine/session/session-model.ts";
import { configureSession, replyLimit, roomFor } from "./configure-session.ts";

const COUNTED = { contextWindow: 20_000, countsReply: true };

function requestFor(max_tokens: number, more: object = {}): WireRequest {
  const messages = [{ role: "user", content: "Go on." }];
  const body = JSON.stringify({ model: "claude-sonnet-4-5", max_tokens, messages, ...more });
  const request = anthropicAdapter.readRequest({ path: "/v1/messages", body });
  if (request === undefined) throw new Error("The request was not read.");
  return request;
}

/** The empty list of tools is a token or two. */
const QUARTER = 4_999;

describe("the reply's allowance", () => {
  test("is left as it is where the upstream does not count it, and a quarter of what system prompt and tools leave is kept free for it", () => {
    const request = requestFor(64_000);
    expect(replyLimit(request, { ...COUNTED, countsReply: false })).toBeUndefined();
    expect(roomFor(request, { ...COUNTED, countsReply: false }, undefined).maxTokens).toBe(QUARTER);
  });

  test("is left as it is where it leaves room enough, and is kept free as a whole", () => {
    const request = requestFor(9_000);
    expect(replyLimit(request, COUNTED)).toBeUndefined();
    expect(roomFor(request, COUNTED, undefined).maxTokens).toBe(9_000);
  });

  test("is lowered to a quarter of what system prompt and tools leave where it is more than half of it", () => {
    const request = requestFor(10_001);
    expect(replyLimit(request, COUNTED)).toBe(QUARTER);
    expect(roomFor(request, COUNTED, undefined).maxTokens).toBe(QUARTER);
  });

  test("is lowered where system prompt and tools leave hardly anything beside it", () => {
    expect(replyLimit(requestFor(8_192, { system: "word ".repeat(8_000) }), COUNTED)).toBe(2_999);
    expect(replyLimit(requestFor(8_192, { system: "word ".repeat(3_000) }), COUNTED)).toBeUndefined();
  });

  test("is never lowered below a budget for thinking, and never raised", () => {
    const thinking = { thinking: { type: "enabled", budget_tokens: 8_000 } };
    expect(replyLimit(requestFor(16_000, thinking), COUNTED)).toBe(8_001);
    expect(replyLimit(requestFor(400, { system: "word ".repeat(18_000) }), COUNTED)).toBeUndefined();
  });

  test("is what a prompt leaves that can only just be made to fit", () => {
    const request = requestFor(8_192);
    expect(replyLimit(request, COUNTED, 15_000)).toBe(5_000);
    expect(replyLimit(request, COUNTED, 11_000)).toBeUndefined();
    expect(replyLimit(request, COUNTED, 19_999)).toBe(999);
  });
});

describe("a session", () => {
  test("is told how long its conversation stays cached, and told again when a request asks for something else", async () => {
    const session = await createEngine({ model: "claude-sonnet-4-5" }).session("mine");
    const choices: ModelChoice[] = [];
    const watched = {
      ...session,
      useModel: (choice: ModelChoice) => {
        choices.push(choice);
        session.useModel(choice);
      },
    };
    const configured = { lastConfigured: undefined };
    const room = { contextWindow: 20_000, maxTokens: 1_000 };
    const marked = { cache_control: { type: "ephemeral", ttl: "1h" } };
    for (const more of [{}, {}, marked]) {
      configureSession(configured, watched, { request: requestFor(1_000, more), room });
    }
    expect(choices.map(({ cacheTtlMs }) => cacheTtlMs)).toEqual([undefined, 60 * 60_000]);
  });
});
