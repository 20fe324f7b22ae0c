import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { type GatewayWorld, startGatewayBefore, startWorld } from "../../test/support/gateway-world.ts";
import { createEngine } from "../engine/create-engine.ts";
import { memoryStore } from "../stores/memory/index.ts";
import type { ScriptedReply } from "../testing/index.ts";

type BetaMessage = Anthropic.Beta.BetaMessageParam;
type Item = OpenAI.Responses.ResponseInputItem;

const TOOLS = [{ name: "read", input_schema: { type: "object" as const } }];
const FACT = "The port of the staging server is 4711.";
const LONG: BetaMessage = { role: "user", content: `${FACT} ${"word ".repeat(51_000)}` };
const MODEL = "claude-opus-4-6";
const say = (text: string): ScriptedReply => ({ type: "text", text });
const ask = (content: string) => ({ role: "user" as const, content });

async function startPair(contextWindow?: number) {
  const store = memoryStore();
  const world = await startWorld({
    server: { reply: () => say("Done."), ...(contextWindow && { contextWindow }) },
    gateway: { store, ...(contextWindow && { windows: { all: contextWindow } }) },
  });
  const anthropic = new Anthropic({ baseURL: world.url(), apiKey: "key", maxRetries: 0, logLevel: "off" });
  const openai = new OpenAI({ baseURL: `${world.url()}/v1`, apiKey: "key", maxRetries: 0, logLevel: "off" });
  const engine = () => createEngine({ model: MODEL, store });
  const live = async () => {
    const [only] = (await store.list({})).map(({ id }) => id);
    return world.gateway.engine.session(only ?? "");
  };
  const session = async () => {
    await world.gateway.close();
    const [only, ...others] = (await store.list({})).map(({ id }) => id);
    expect(others).toEqual([]);
    return engine().session(only ?? "");
  };
  return { ...world, store, anthropic, openai, session, live };
}

const itemsOf = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);
const lastBody = ({ server }: Pick<GatewayWorld, "server">) => server.requests.at(-1)?.rawBody;
const lastSent = ({ sent }: Pick<GatewayWorld, "sent">) => sent.at(-1)?.body;

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
      const pair = await startPair();
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
    const pair = await startPair();
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

describe("Anthropic's request for a compaction", () => {
  const betas = ["compact-2026-09-04" as const];
  const request = { model: MODEL, max_tokens: 100, tools: TOOLS, betas };
  const START: BetaMessage[] = [ask(FACT), { role: "assistant", content: "I will remember it." }];

  test("its signed block takes the place of what it stands for, also where the agent went on meanwhile", async () => {
    const pair = await startPair();
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
      const pair = await startPair();
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
    const pair = await startPair(12_000);
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
    const pair = await startPair();
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
      const pair = await startPair();
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
    const pair = await startPair();
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

  test("after a restart, the agent's own name for its session leads to it", async () => {
    const pair = await startPair();
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
