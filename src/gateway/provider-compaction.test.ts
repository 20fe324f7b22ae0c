import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import {
  ask,
  type BetaMessage,
  FACT,
  type Item,
  LONG,
  lastBody,
  lastSent,
  MODEL,
  startCompactingWorld,
  TOOLS,
} from "../../test/support/gateway-compaction.ts";
import { startGatewayBefore } from "../../test/support/gateway-world.ts";
import { createEngine } from "../engine/create-engine.ts";

const itemsOf = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);

describe("Anthropic's compact_20260112", () => {
  const compacting = (messages: BetaMessage[]) => ({
    model: MODEL,
    max_tokens: 100,
    tools: TOOLS,
    messages,
    betas: ["compact-2026-01-12" as const],
    context_management: {
      edits: [{ type: "compact_20260112" as const, trigger: { type: "input_tokens" as const, value: 50_000 } }],
    },
  });

  test.each(["whole", "streamed"])(
    "a conversation that the provider compacts goes on in its session: %s",
    async (how) => {
      const pair = await startCompactingWorld();
      const send = (messages: BetaMessage[]) =>
        how === "whole"
          ? pair.anthropic.beta.messages.create(compacting(messages))
          : pair.anthropic.beta.messages.stream(compacting(messages)).finalMessage();
      const { content } = await send([LONG]);
      expect(content.map(({ type }) => type)).toEqual(["compaction", "text"]);
      const whole: BetaMessage[] = [LONG, { role: "assistant", content }, ask("And now?")];
      await send(whole);
      expect(lastBody(pair)).toBe(lastSent(pair));
      await send([...whole, { role: "assistant", content: "Done." }, ask("More?")]);
      expect(pair.server.requests.map(({ outcome }) => outcome)).toEqual(["answered", "answered", "answered"]);
      const session = await pair.session();
      expect(await session.log()).toHaveLength(6);
      expect((await session.view()).map(({ id }) => id)).toEqual([
        expect.stringMatching(/^condense-/),
        "m1",
        "m2",
        "m3",
        "m4",
      ]);
      expect((await session.recall("staging server port"))[0]?.text).toContain("4711");
      expect((await session.prepare()).report.promptTokens).toBeLessThan(1_000);
      expect(pair.incidents).toEqual([]);
    },
  );

  test("an agent that leaves out what was compacted is still in its session", async () => {
    const pair = await startCompactingWorld();
    const { content } = await pair.anthropic.beta.messages.create(compacting([LONG]));
    const window: BetaMessage[] = [{ role: "assistant", content }, ask("And now?")];
    await pair.anthropic.beta.messages.create(compacting(window));
    const longer: BetaMessage[] = [...window, { role: "assistant", content: "Done." }, ask("More?")];
    await pair.anthropic.beta.messages.create(compacting(longer));
    expect(lastBody(pair)).toBe(lastSent(pair));
    const session = await pair.session();
    expect((await session.log()).filter(({ isSummary }) => isSummary !== true)).toHaveLength(5);
    expect((await session.recall("staging server port"))[0]?.text).toContain("4711");
    expect(pair.incidents).toEqual([]);
  });
});

describe("Anthropic's clearing of results and thoughts", () => {
  const betas = ["context-management-2025-06-27" as const];
  const edits = [
    { type: "clear_thinking_20251015" as const, keep: { type: "thinking_turns" as const, value: 1 } },
    {
      type: "clear_tool_uses_20250919" as const,
      trigger: { type: "tool_uses" as const, value: 2 },
      keep: { type: "tool_uses" as const, value: 1 },
    },
  ];
  const thinking = { type: "enabled" as const, budget_tokens: 1_024 };
  const model = "claude-haiku-4-5";
  const request = { model, max_tokens: 2_000, tools: TOOLS, betas, thinking, context_management: { edits } };

  test.each(["whole", "streamed"])("is carried as it came, and what it hides stays in the log: %s", async (how) => {
    const pair = await startCompactingWorld();
    const messages: BetaMessage[] = [];
    const applied = new Set<string>();
    const send = async () => {
      const body = { ...request, messages };
      const reply =
        how === "whole"
          ? await pair.anthropic.beta.messages.create(body)
          : await pair.anthropic.beta.messages.stream(body).finalMessage();
      expect(lastBody(pair)).toBe(lastSent(pair));
      for (const { type } of reply.context_management?.applied_edits ?? []) applied.add(type);
      messages.push({ role: "assistant", content: reply.content });
    };
    for (const [step, said] of [FACT, "Nothing here.", "Nor here.", "Nor there."].entries()) {
      const id = `toolu_${String(step).padStart(12, "0")}`;
      const calls = [{ id, name: "read", input: { path: `${step}.ts` } }];
      pair.server.script({ type: "tool-calls", reasoning: `Step ${step}.`, calls });
      messages.push(ask(`Read ${step}.ts.`));
      await send();
      const content = `${said} ${"word ".repeat(300)}`;
      messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] });
      await send();
    }
    expect([...applied].sort()).toEqual(["clear_thinking_20251015", "clear_tool_uses_20250919"]);
    expect(pair.server.requests.map(({ outcome }) => outcome)).not.toContain("refused");
    const session = await pair.session();
    expect(JSON.stringify(await session.log())).toContain(FACT);
    expect(JSON.stringify(await session.log())).toContain("Step 0.");
    const [hit] = await createEngine({ model: MODEL, store: pair.store }).recall("staging server port");
    expect(hit?.text).toContain("4711");
    expect(pair.incidents).toEqual([]);
  });
});

describe("Anthropic's request for a compaction", () => {
  const betas = ["compact-2026-09-04" as const];
  const request = { model: MODEL, max_tokens: 100, tools: TOOLS, betas };
  const START: BetaMessage[] = [ask(FACT), { role: "assistant", content: "I will remember it." }];

  test("its signed block takes the place of what it stands for, also where the agent went on meanwhile", async () => {
    const pair = await startCompactingWorld();
    const history: BetaMessage[] = [...START, ask("What is next?")];
    const compaction = { type: "summarize" as const };
    const { content } = await pair.anthropic.beta.messages.create({ ...request, messages: history, compaction });
    const later: BetaMessage[] = [
      { role: "assistant", content: "Nothing more, as far as I know." },
      ask("Then we are done."),
    ];
    await pair.anthropic.beta.messages.create({ ...request, messages: [...history, ...later] });
    const window: BetaMessage[] = [{ role: "assistant", content }, ...later];
    const next: BetaMessage[] = [...window, { role: "assistant", content: "Done." }, ask("One more thing.")];
    await pair.anthropic.beta.messages.create({ ...request, messages: next });
    expect(lastBody(pair)).toBe(lastSent(pair));
    const session = await pair.session();
    const spoken = (await session.log()).filter(({ isSummary }) => isSummary !== true);
    expect(spoken).toHaveLength(8);
    expect((await session.view()).slice(1).map(({ id }) => id)).toEqual(["m3", "m4", "m5", "m6", "m7"]);
    expect((await session.recall("staging server port"))[0]?.text).toContain("4711");
    expect(pair.incidents).toEqual([]);
  });
});

describe("OpenAI's compaction", () => {
  const request = { model: "gpt-5.4", store: false };
  const LONG_ITEMS: Item[] = [
    { role: "user", content: FACT },
    { role: "assistant", content: "word ".repeat(1_500) },
    { role: "user", content: "And now?" },
  ];
  const management = [{ type: "compaction", compact_threshold: 1_000 }];

  test.each(["whole", "streamed"])(
    "a conversation that the provider compacts goes on in its session: %s",
    async (how) => {
      const pair = await startCompactingWorld();
      const send = async (input: Item[]) => {
        const body = { ...request, input, context_management: management };
        if (how === "whole") return (await pair.openai.responses.create(body)).output;
        return (await pair.openai.responses.stream(body).finalResponse()).output;
      };
      const output = await send(LONG_ITEMS);
      expect(output.map(({ type }) => type)).toEqual(["compaction", "message"]);
      const whole = [...LONG_ITEMS, ...output, { role: "user", content: "More?" }] as Item[];
      await send(whole);
      expect(lastBody(pair)).toBe(lastSent(pair));
      await send(whole.slice(3));
      expect(pair.server.requests.map(({ outcome }) => outcome)).toEqual(["answered", "answered", "answered"]);
      const session = await pair.session();
      expect((await session.view()).slice(1).map(({ id }) => id)).toEqual(["m3", "m4", "m5"]);
      expect((await session.recall("staging server port"))[0]?.text).toContain("4711");
      expect(pair.incidents).toEqual([]);
    },
  );
});

describe("our own folding", () => {
  test("leaves the provider's block as it is and where it is", async () => {
    const pair = await startCompactingWorld(12_000);
    const request = { model: MODEL, max_tokens: 100, tools: TOOLS, betas: ["compact-2026-09-04" as const] };
    const history: BetaMessage[] = [ask(FACT), { role: "assistant", content: "I will remember it." }, ask("Go on.")];
    const compaction = { type: "summarize" as const };
    const { content } = await pair.anthropic.beta.messages.create({ ...request, messages: history, compaction });
    const messages: BetaMessage[] = [{ role: "assistant", content }, ask("Read all of it.")];
    for (let step = 0; step < 12; step++) {
      await pair.anthropic.beta.messages.create({ ...request, messages });
      const id = `toolu_${String(step).padStart(12, "0")}`;
      messages.push(
        { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { path: `${step}.ts` } }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: `${step} line\n`.repeat(600) }] },
      );
    }
    const written = pair.turns.filter(({ foldIds }) => foldIds.length > 0);
    expect(written.length).toBeGreaterThan(0);
    expect(pair.server.requests.map(({ outcome }) => outcome)).not.toContain("refused");
    for (const { body } of pair.server.requests.slice(1)) {
      expect(itemsOf(body.messages)[0]).toEqual({ role: "assistant", content });
    }
    expect(pair.incidents).toEqual([]);
  });
});

describe("a request that only asks for a compaction", () => {
  const tools = [{ type: "function" as const, name: "read", parameters: { type: "object" }, strict: false }];
  const history: Item[] = [
    { role: "user", content: FACT },
    { role: "assistant", content: "I will remember it." },
    { role: "user", content: "And now?" },
    { role: "assistant", content: "Nothing is left to do." },
  ];
  const body = { model: "gpt-5.4", store: false, tools };

  test.each([
    ["/responses/compact", (openai: OpenAI) => openai.responses.compact({ model: "gpt-5.4", input: history })],
    [
      "compaction_trigger",
      (openai: OpenAI) =>
        openai.responses.create({ ...body, input: [...history, { type: "compaction_trigger" as const }] }),
    ],
  ])("%s is forwarded as it came, and what comes back is known as the session's", async (_, compact) => {
    const pair = await startCompactingWorld();
    await pair.openai.responses.create({ ...body, input: history.slice(0, 3) });
    const { output } = await compact(pair.openai);
    expect(lastBody(pair)).toBe(lastSent(pair));
    expect(output.at(-1)?.type).toBe("compaction");
    const window = [...output, { role: "user", content: "One more thing." }] as Item[];
    await pair.openai.responses.create({ ...body, input: window });
    await pair.openai.responses.create({
      ...body,
      input: [...window, { role: "assistant", content: "Done." }, { role: "user", content: "Thanks." }],
    });
    expect(lastBody(pair)).toBe(lastSent(pair));
    expect(pair.server.requests.map(({ outcome }) => outcome)).not.toContain("refused");
    const session = await pair.session();
    const view = await session.view();
    expect(view[0]?.compaction).toBe("provider");
    expect(view).toHaveLength(output.length + 4);
    expect((await session.recall("nothing left to do"))[0]?.text).toContain("Nothing is left");
    expect(await session.statement()).toMatchObject({ requests: 4 });
    expect(pair.incidents).toEqual([]);
  });

  test("after a restart, an agent that names no session and sends the compaction alone goes on in its session", async () => {
    const pair = await startCompactingWorld();
    const { output } = await pair.openai.responses.compact({ model: "gpt-5.4", input: history });
    await pair.gateway.close();
    const [first] = await pair.store.list({});
    const again = await startGatewayBefore(pair.server, { store: pair.store });
    const openai = new OpenAI({ baseURL: `${again.gateway.url}/v1`, apiKey: "key", maxRetries: 0, logLevel: "off" });
    const window = [...output, { role: "user", content: "One more thing." }] as Item[];
    await openai.responses.create({ ...body, input: window });
    const session = await again.gateway.engine.session(first?.id ?? "");
    expect(JSON.stringify(await session.view())).toContain("One more thing.");
    expect((await session.recall("nothing left to do"))[0]?.text).toContain("Nothing is left");
    await again.gateway.close();
    expect((await pair.store.list({})).map(({ id }) => id)).toEqual([first?.id]);
  });

  test("after a restart, the agent's own name for its session leads to it", async () => {
    const pair = await startCompactingWorld();
    const named = { headers: { "session-id": "s1" } };
    const { output } = await pair.openai.responses.compact({ model: "gpt-5.4", input: history }, named);
    await pair.gateway.close();
    const again = await startGatewayBefore(pair.server, { store: pair.store });
    const openai = new OpenAI({ baseURL: `${again.gateway.url}/v1`, apiKey: "key", maxRetries: 0, logLevel: "off" });
    const window = [...output, { role: "user", content: "One more thing." }] as Item[];
    await openai.responses.create({ ...body, input: window }, named);
    await again.gateway.close();
    expect((await pair.store.list({})).map(({ id }) => id)).toEqual(["codex:s1"]);
  });
});
