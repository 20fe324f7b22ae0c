import type OpenAI from "openai";
import { describe, expect, test } from "vitest";
import {
  ask,
  type BetaMessage,
  FACT,
  type Item,
  LONG,
  MODEL,
  startCompactingWorld,
  TOOLS,
} from "../../test/support/gateway-compaction.ts";

describe("restoring what a provider compacted", () => {
  const request = { model: MODEL, max_tokens: 100, tools: TOOLS, betas: ["compact-2026-01-12" as const] };
  const management = {
    edits: [
      {
        type: "compact_20260112" as const,
        trigger: { type: "input_tokens" as const, value: 50_000 },
        pause_after_compaction: true,
      },
    ],
  };

  test.each(["sends everything", "leaves out what was compacted"])("with an agent that %s", async (how) => {
    const pair = await startCompactingWorld();
    const history: BetaMessage[] = [
      LONG,
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_000000000001", name: "read", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_000000000001", content: "It is red." }] },
    ];
    const compacting = { ...request, context_management: management };
    const { content } = await pair.anthropic.beta.messages.create({ ...compacting, messages: history });
    const behind: BetaMessage[] = [{ role: "assistant", content }, ask("And now?")];
    const messages = how === "sends everything" ? [...history, ...behind] : behind;
    await pair.anthropic.beta.messages.create({ ...request, messages });
    const session = await pair.live();
    const [fold] = await session.folds();
    await session.restore(fold?.foldId ?? "");
    const later: BetaMessage[] = [...messages, { role: "assistant", content: "Done." }, ask("Which port?")];
    await pair.anthropic.beta.messages.create({ ...request, messages: later });
    const last = pair.server.requests.at(-1);
    expect(last).toMatchObject({ outcome: "answered" });
    expect(last?.rawBody).toContain("4711");
    expect(last?.rawBody).toContain("It is red.");
    expect(last?.rawBody).not.toContain('"compaction"');
    expect(last?.promptTokens).toBeGreaterThan(50_000);
    expect(pair.incidents).toEqual([]);
  });

  test.each(["sends everything", "leaves out what was compacted"])(
    "on the Responses API, with an agent that %s",
    async (how) => {
      const pair = await startCompactingWorld();
      const history: Item[] = [
        { role: "user", content: FACT },
        { type: "function_call", call_id: "call_000000000001", name: "read", arguments: "{}" },
        { type: "function_call_output", call_id: "call_000000000001", output: "It is red." },
        { role: "assistant", content: "word ".repeat(1_500) },
        { role: "user", content: "And now?" },
      ];
      const tools = [{ type: "function" as const, name: "read", parameters: { type: "object" }, strict: false }];
      const body = { model: "gpt-5.4", store: false, tools };
      const management = [{ type: "compaction", compact_threshold: 1_000 }];
      const { output } = await pair.openai.responses.create({
        ...body,
        input: history,
        context_management: management,
      });
      const behind = [...output, { role: "user", content: "More?" }] as Item[];
      const input = how === "sends everything" ? [...history, ...behind] : behind;
      await pair.openai.responses.create({ ...body, input });
      const session = await pair.live();
      const [fold] = await session.folds();
      await session.restore(fold?.foldId ?? "");
      const later = [
        ...input,
        { role: "assistant", content: "Done." },
        { role: "user", content: "Which port?" },
      ] as Item[];
      await pair.openai.responses.create({ ...body, input: later });
      const last = pair.server.requests.at(-1);
      expect(last).toMatchObject({ outcome: "answered" });
      expect(last?.rawBody).toContain("4711");
      expect(last?.rawBody).toContain("It is red.");
      expect(last?.rawBody).not.toContain('"compaction"');
      expect(pair.incidents).toEqual([]);
    },
  );
});

describe("restoring what a request for a compaction replaced", () => {
  const waysToSend = ["sends everything", "leaves out what was compacted"];

  // Anthropic refuses its signed block behind anything else: an agent has to leave out what it stands for.
  test("Anthropic's `compaction`", async () => {
    const pair = await startCompactingWorld();
    const request = { model: MODEL, max_tokens: 100, tools: TOOLS, betas: ["compact-2026-09-04" as const] };
    const history: BetaMessage[] = [ask(FACT), { role: "assistant", content: "I will remember it." }, ask("Go on.")];
    const compaction = { type: "summarize" as const };
    const { content } = await pair.anthropic.beta.messages.create({ ...request, messages: history, compaction });
    const messages: BetaMessage[] = [{ role: "assistant", content }, ask("And now?")];
    await pair.anthropic.beta.messages.create({ ...request, messages });
    const session = await pair.live();
    const [fold] = await session.folds();
    await session.restore(fold?.foldId ?? "");
    const later: BetaMessage[] = [...messages, { role: "assistant", content: "Done." }, ask("Which port?")];
    await pair.anthropic.beta.messages.create({ ...request, messages: later });
    const last = pair.server.requests.at(-1);
    expect(last?.outcome).toBe("answered");
    expect(last?.rawBody).toContain("I will remember it.");
    expect(last?.rawBody).not.toContain('"compaction"');
    expect(pair.incidents).toEqual([]);
  });

  const items: Item[] = [
    { role: "user", content: FACT },
    { role: "assistant", content: "I will remember it." },
    { role: "user", content: "And now?" },
    { role: "assistant", content: "Nothing is left to do." },
  ];
  const tools = [{ type: "function" as const, name: "read", parameters: { type: "object" }, strict: false }];
  const body = { model: "gpt-5.4", store: false, tools };
  const REQUESTS = [
    ["/responses/compact", (openai: OpenAI) => openai.responses.compact({ model: "gpt-5.4", input: items })],
    [
      "compaction_trigger",
      (openai: OpenAI) =>
        openai.responses.create({ ...body, input: [...items, { type: "compaction_trigger" as const }] }),
    ],
  ] as const;

  test.each(waysToSend.flatMap((how) => REQUESTS.map(([what, compact]) => ({ what, compact, how }))))(
    "OpenAI's $what, with an agent that $how",
    async ({ compact, how }) => {
      const pair = await startCompactingWorld();
      await pair.openai.responses.create({ ...body, input: items.slice(0, 3) });
      const { output } = await compact(pair.openai);
      const behind = [...output, { role: "user", content: "One more thing." }] as Item[];
      const input = how === "sends everything" ? [...items, ...behind] : behind;
      await pair.openai.responses.create({ ...body, input });
      const session = await pair.live();
      const [fold] = await session.folds();
      await session.restore(fold?.foldId ?? "");
      const later = [...input, { role: "assistant", content: "Done." }, { role: "user", content: "Which port?" }];
      await pair.openai.responses.create({ ...body, input: later as Item[] });
      const last = pair.server.requests.at(-1);
      expect(last?.outcome).toBe("answered");
      expect(last?.rawBody).toContain("Nothing is left to do.");
      expect(last?.rawBody).not.toContain('"compaction"');
      expect(pair.incidents).toEqual([]);
    },
  );
});

test("the gateway's own recall tool stands beside a provider's compaction", async () => {
  const pair = await startCompactingWorld(undefined, { recallTool: true });
  const request = { model: MODEL, max_tokens: 100, tools: TOOLS, betas: ["compact-2026-09-04" as const] };
  const history: BetaMessage[] = [ask(FACT), { role: "assistant", content: "I will remember it." }, ask("Go on.")];
  const compaction = { type: "summarize" as const };
  const { content } = await pair.anthropic.beta.messages.create({ ...request, messages: history, compaction });
  const messages: BetaMessage[] = [{ role: "assistant", content }, ask("And now?")];
  await pair.anthropic.beta.messages.create({ ...request, messages });
  messages.push({ role: "assistant", content: "Done." }, ask("Which port?"));
  await pair.anthropic.beta.messages.create({ ...request, messages });
  const [first, , last] = pair.server.requests;
  expect([first, last].map((each) => (Array.isArray(each?.body.tools) ? each.body.tools.length : 0))).toEqual([1, 2]);
  expect(pair.server.requests.map(({ outcome }) => outcome)).not.toContain("refused");
  expect(pair.incidents).toEqual([]);
});
