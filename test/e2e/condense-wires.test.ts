/** Condensing through real HTTP, on every wire, against a server that refuses what the providers refuse. */
import { afterEach, describe, expect, test } from "vitest";
import { restoreMessages } from "../../src/core/history/restore.ts";
import { effectiveView } from "../../src/core/message/effective-view.ts";
import type { Message } from "../../src/core/message/message.ts";
import { validateView } from "../../src/core/message/validate-view.ts";
import { createModelRegistry, findModel } from "../../src/core/models/registry.ts";
import { countContentTokens } from "../../src/core/tokens/count-content.ts";
import { countMessagesTokens } from "../../src/core/tokens/count-messages.ts";
import type { CondensationRun } from "../../src/engine/condense/condensation-run.ts";
import { condenseBySnapshot } from "../../src/engine/condense/condense-by-snapshot.ts";
import { condenseBySummary } from "../../src/engine/condense/condense-by-summary.ts";
import { summarizeConversation } from "../../src/engine/condense/summarize-conversation.ts";
import { createModelHandler } from "../../src/providers/ai-sdk/index.ts";
import {
  type ModelServer,
  type ModelServerOptions,
  type ModelWire,
  type ScriptedReply,
  startModelServer,
} from "../../src/testing/index.ts";
import { GOOD_SUMMARY } from "../support/handlers.ts";
import { assistant, call, log, result, user } from "../support/messages.ts";

const WIRES = [
  { wire: "anthropic", provider: "anthropic", modelId: "claude-haiku-4-5" },
  { wire: "openai", provider: "openai", modelId: "gpt-4o" },
  { wire: "gemini", provider: "google", modelId: "gemini-2.5-flash" },
  { wire: "deepseek", provider: "deepseek", modelId: "deepseek-v4-pro" },
] as const satisfies readonly { wire: ModelWire; provider: string; modelId: string }[];

const SNAPSHOT_REPLY =
  "<scratchpad>notes</scratchpad><state_snapshot><overall_goal>Fix the rotation.</overall_goal><key_knowledge>24 hours</key_knowledge>" +
  "<file_system_state>CWD: /app</file_system_state><recent_actions>ran the tests</recent_actions><current_plan>1. [TODO] deploy</current_plan></state_snapshot>";
const STRATEGIES = {
  summary: { condense: condenseBySummary, reply: GOOD_SUMMARY, text: GOOD_SUMMARY },
  snapshot: { condense: condenseBySnapshot, reply: SNAPSHOT_REPLY, text: "<overall_goal>\nFix the rotation.\n" },
} as const;

// The smallest PNG: one transparent pixel.
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const image = { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } } as const;

/** Work with parallel calls, images, signed reasoning, errors, and results in one message or in several: some 36,000 tokens. */
const HISTORY: readonly Message[] = log(
  user("Fix the rotation of keys. See the picture.", image),
  ...Array.from({ length: 24 }, (_, turn) => [
    assistant(
      { type: "reasoning", text: `Turn ${turn}: look first.`, signature: "c2lnbmVk" },
      `Turn ${turn}.`,
      call(`a${turn}`, "read_file", { path: `src/keys-${turn}.ts` }),
      call(`b${turn}`, "run", { command: "npm test" }),
    ),
    user({
      ...result(`a${turn}`),
      content: [{ type: "text", text: `export const key${turn} = 1;\n`.repeat(120) }, image],
    }),
    user({ ...result(`b${turn}`, `FAIL key${turn}\n`.repeat(120)), is_error: true }, "Go on."),
    ...(turn === 17 ? [assistant("It is done up to here."), user("Then the rest.")] : []),
  ]).flat(),
  assistant({ type: "reasoning", text: "one more", signature: "c2lnbmVk" }, call("last", "run", { command: "ls" })),
  user(result("last", "a.ts")),
  assistant("There is a.ts."),
  user("Now deploy."),
);

const servers: ModelServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function serve(options: ModelServerOptions): Promise<ModelServer> {
  const server = await startModelServer(options);
  servers.push(server);
  return server;
}

function handlerOn(server: ModelServer, { wire, provider, modelId }: (typeof WIRES)[number], contextWindow: number) {
  return createModelHandler({
    model: `${provider}/${modelId}`,
    apiKey: "sk-test-0123456789",
    baseUrl: server.baseUrls[wire],
    environment: {},
    retryDelayMs: 1,
    registry: createModelRegistry([{ ...findModel(modelId), id: modelId, contextWindow }]),
  });
}

function runOn(handler: CondensationRun["handler"], fields: Partial<CondensationRun> = {}): CondensationRun {
  return {
    messages: HISTORY,
    handler,
    taskId: "task",
    keepMessages: 3,
    prevContextTokens: countMessagesTokens(HISTORY),
    countTokens: countContentTokens,
    measurePrompt: (view) => countMessagesTokens(view),
    maxModelCalls: 6,
    timeoutMs: 300_000,
    ...fields,
  };
}

describe.each(WIRES)("$wire", (wire) => {
  describe.each([8_000, 16_000])("with a window of %i", (contextWindow) => {
    test.each(["summary", "snapshot"] as const)(
      "a %s is asked for in requests that are accepted, and applied",
      async (strategy) => {
        const { condense, reply, text } = STRATEGIES[strategy];
        const server = await serve({ contextWindow, reply: () => ({ type: "text", text: reply }) });
        const condensed = await condense(runOn(handlerOn(server, wire, contextWindow)));
        expect(condensed.error).toBeUndefined();
        expect(condensed.summary).toContain(text);

        expect(server.requests.map(({ outcome, refusal }) => refusal ?? outcome)).toEqual(
          Array.from({ length: condensed.modelCalls ?? 0 }, () => "answered"),
        );
        expect(server.requests.length).toBeGreaterThan(1);
        const maxOutputTokens = Math.floor(contextWindow / 4);
        for (const { promptTokens, body } of server.requests) {
          expect(promptTokens + Math.min(maxOutputTokens, strategy === "summary" ? 4_000 : 8_000)).toBeLessThanOrEqual(
            contextWindow,
          );
          expect(JSON.stringify(body)).not.toContain(PIXEL);
        }
        const last = JSON.stringify(server.requests.at(-1)?.body);
        expect(last).toContain(strategy === "summary" ? "keys-23.ts" : "earlier_summary");

        expect(restoreMessages(condensed.messages, condensed.condenseId ?? "")).toEqual(HISTORY);
      },
    );
  });

  test.each(["summary", "snapshot"] as const)(
    "the view after a %s is accepted, with all its pairs, reasoning and images",
    async (strategy) => {
      const { condense, reply } = STRATEGIES[strategy];
      const server = await serve({ reply: () => ({ type: "text", text: reply }) });
      const handler = handlerOn(server, wire, 200_000);
      const condensed = await condense(runOn(handler));
      const view = effectiveView(condensed.messages);
      expect(validateView(view)).toEqual([]);
      const call = { signal: new AbortController().signal, maxOutputTokens: 100, temperature: 0 };
      for await (const chunk of handler.createMessage("Be brief.", view, call))
        expect(chunk.type).toMatch(/text|usage/);
      expect(server.requests.map(({ outcome }) => outcome)).toEqual(["answered", "answered"]);
      const sent = JSON.stringify(server.requests[1]?.body);
      expect(sent).toContain(strategy === "summary" ? "src/auth/rotate.ts" : "Fix the rotation.");
      expect(sent).toContain("There is a.ts.");
      if (strategy === "snapshot") expect(sent).toContain("keys-23.ts");
    },
  );

  test.each<[string, ScriptedReply]>([
    ["hangs", { type: "hang" }],
    ["hangs mid-stream", { type: "hang-mid-stream", text: "The person asked" }],
    ["is cut mid-stream", { type: "cut", text: "The person asked" }],
    ["sends garbage", { type: "garbage" }],
    ["refuses", { type: "error", status: 400, message: "no" }],
    ["is overloaded", { type: "error", status: 529, message: "overloaded" }],
    ["only thinks", { type: "text", text: " ", reasoning: "Let me see." }],
    ["calls a tool instead", { type: "tool-calls", calls: [{ id: "x", name: "read_file", input: {} }] }],
  ])("a model that %s leaves the log as it was", async (_, reply) => {
    const server = await serve({ reply: () => reply });
    const run = runOn(handlerOn(server, wire, 200_000), { timeoutMs: 300 });
    const failed = await condenseBySummary(run);
    expect(failed).toMatchObject({ summary: "", error: expect.stringMatching(/^Condensing failed: ./), modelCalls: 1 });
    expect(failed.messages).toBe(HISTORY);
    expect(failed.error).not.toContain("sk-test");
  });

  test("summarizeConversation sums up what the requests cost", async () => {
    const usage = { inputTokens: 1_000, outputTokens: 100 };
    const server = await serve({ contextWindow: 16_000, reply: () => ({ type: "text", text: GOOD_SUMMARY, usage }) });
    const condensing = handlerOn(server, wire, 16_000);
    const main = {
      ...condensing,
      createMessage: () => {
        throw new Error("the main model must not be asked");
      },
    };
    const condensed = await summarizeConversation(
      HISTORY,
      main,
      "Be brief.",
      "task",
      90_000,
      true,
      "Sum up tersely.",
      condensing,
    );
    expect(condensed.error).toBeUndefined();
    expect(server.requests.length).toBeGreaterThan(1);
    const each = (await summarizeConversation(HISTORY.slice(-9), main, "", "task", 90_000, true, "", condensing)).cost;
    expect(each).toBeGreaterThan(0);
    expect(condensed.cost).toBeCloseTo(each * (server.requests.length - 1));
    expect(JSON.stringify(server.requests[0]?.body)).toContain("Sum up tersely.");
  });
});
