import { Agent, MemorySession, type ModelProvider, Runner } from "@openai/agents";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEngine } from "../../src/index.ts";
import { palimpsestModel, palimpsestProvider, palimpsestSession } from "../../src/integrations/openai-agents/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { type ModelServer, type ScriptedReply, startModelServer } from "../../src/testing/index.ts";
import { OPENAI_MODEL, openAiProvider, readRoom, roomAgent, runAgent } from "./openai-agents-agent.ts";
import { CONTEXT_WINDOW, FINAL_REPLY, ROOMS, roomLog, TOOL_NAME } from "./thirty-turns.ts";

let server: ModelServer;
let replies = 0;

/** Thinks, then reads two rooms at once. */
function thinkAndCall(): ScriptedReply {
  replies += 1;
  if (2 * replies > ROOMS) return { type: "text", text: FINAL_REPLY };
  const calls = [2 * replies - 1, 2 * replies].map((room) => ({
    id: `call_${room}`,
    name: TOOL_NAME,
    input: { room },
  }));
  return { type: "tool-calls", reasoning: `Rooms ${2 * replies - 1} and ${2 * replies} are next.`, calls };
}

beforeEach(async () => {
  replies = 0;
  server = await startModelServer({ contextWindow: CONTEXT_WINDOW, reply: thinkAndCall });
});

afterEach(() => server.close());

function refusals(): number {
  return server.requests.filter(({ outcome }) => outcome === "refused").length;
}

describe("palimpsestProvider", () => {
  test("folds replies with reasoning and two calls so that the API takes them", async () => {
    const engine = createEngine({ model: OPENAI_MODEL, contextWindow: CONTEXT_WINDOW, maxTokens: 1_000 });
    const provider = palimpsestProvider(openAiProvider(server, "openai-responses"), { engine, sessionId: "s" });
    const { error, finalOutput } = await runAgent({ provider });
    expect({ error, finalOutput, refusals: refusals() }).toEqual({
      error: undefined,
      finalOutput: FINAL_REPLY,
      refusals: 0,
    });
    expect(server.requests.at(-1)?.rawBody).not.toContain(roomLog(1));
  });

  test("sends what the SDK would, byte for byte, for as long as it fits", async () => {
    const bodies = async (wrap: (provider: ModelProvider) => ModelProvider) => {
      const own = await startModelServer({ reply: thinkAndCall });
      replies = ROOMS / 2 - 2;
      await runAgent({ provider: wrap(openAiProvider(own, "openai-responses")) });
      await own.close();
      return own.requests.map(({ rawBody }) => rawBody);
    };
    const engine = createEngine({ model: OPENAI_MODEL });
    const alone = await bodies((provider) => provider);
    const ours = await bodies((provider) => palimpsestProvider(provider, { engine, sessionId: "s" }));
    expect(alone.length).toBe(3);
    expect(ours.map((body, at) => body === alone[at])).toEqual([true, true, true]);
  });

  test.each([false, true])("learns from a refusal as too long and goes on with less; streams %s", async (streams) => {
    const engine = createEngine({ model: OPENAI_MODEL, contextWindow: 400_000, maxTokens: 1_000 });
    const provider = palimpsestProvider(openAiProvider(server, "openai-responses"), { engine, sessionId: "s" });
    const { error, finalOutput } = await runAgent({ provider, streams });
    expect({ error, finalOutput }).toEqual({ error: undefined, finalOutput: FINAL_REPLY });
    const outcomes = server.requests.map(({ outcome }) => outcome).join(" ");
    expect(outcomes).toContain("refused answered");
    expect(outcomes).not.toContain("refused refused");
  });

  test("sends what the SDK had where something of ours fails, and says so", async () => {
    const full = new Error("the disk is full");
    const store = { ...memoryStore(), append: () => Promise.reject(full) };
    const errors: unknown[] = [];
    const engine = createEngine({ model: OPENAI_MODEL, store });
    const onError = (error: unknown) => errors.push(error);
    const plain = openAiProvider(server, "openai-responses");
    replies = ROOMS / 2 - 1;
    const { finalOutput } = await runAgent({
      provider: palimpsestProvider(plain, { engine, sessionId: "s", onError }),
    });
    expect(finalOutput).toBe(FINAL_REPLY);
    expect(errors.length).toBeGreaterThan(0);
    expect(String(errors[0])).toContain("the disk is full");
  });

  test("keeps an agent that is called as a tool in a session of its own", async () => {
    const engine = createEngine({ model: OPENAI_MODEL });
    const conversation = { engine, sessionId: "s" };
    const model = palimpsestModel(
      await openAiProvider(server, "openai-responses").getModel(OPENAI_MODEL),
      conversation,
    );
    const reader = new Agent({ name: "Reader", model, tools: [readRoom] });
    const readerTool = reader.asTool({ toolName: "ask_reader", toolDescription: "Asks the reader." });
    const chief = new Agent({ name: "Chief", model, tools: [readerTool] });
    server.script(
      { type: "tool-calls", calls: [{ id: "call_a", name: "ask_reader", input: { input: "Read room 1." } }] },
      { type: "tool-calls", calls: [{ id: "call_b", name: TOOL_NAME, input: { room: 1 } }] },
      { type: "text", text: "Room 1 is fine." },
      { type: "text", text: "All is fine." },
    );
    const { finalOutput } = await new Runner().run(chief, "Is room 1 fine?");
    expect(finalOutput).toBe("All is fine.");
    const logs = await Promise.all((await engine.sessions()).map(async ({ id }) => (await engine.session(id)).log()));
    const firsts = logs.map((log) => JSON.stringify(log[0]?.content));
    expect(firsts.toSorted()).toEqual([`"Is room 1 fine?"`, expect.stringContaining("Read room 1.")]);
    expect(logs.map((log) => log.length)).toEqual([4, 4]);
  });

  test.each(["openai-responses", "openai"] as const)(
    "goes on with the log in the next run of a session: %s",
    async (wire) => {
      const engine = createEngine({ model: OPENAI_MODEL });
      const conversation = { engine, sessionId: "s" };
      const provider = palimpsestProvider(openAiProvider(server, wire), conversation);
      const session = palimpsestSession(conversation);
      for (const input of ["Read two rooms.", "Read two more."]) {
        const calls = [1, 2].map((room) => ({ id: `call_${input.length}_${room}`, name: TOOL_NAME, input: { room } }));
        server.script({ type: "tool-calls", reasoning: "Both.", calls }, { type: "text", text: "Read." });
        const { error } = await runAgent({ provider, session, input });
        expect(error).toBe(undefined);
      }
      const own = await engine.session("s");
      const roles = (await own.log()).map(({ role }) => role);
      const run = ["user", "assistant", "user", "assistant"];
      expect(roles).toEqual([...run, ...run]);
      expect((await own.events()).filter(({ type }) => type === "rewound")).toEqual([]);
    },
  );

  test("leaves conversations alone that the API keeps", async () => {
    const engine = createEngine({ model: OPENAI_MODEL });
    const provider = palimpsestProvider(openAiProvider(server, "openai-responses"), { engine, sessionId: "s" });
    server.script({ type: "text", text: "Fine." });
    const model = await provider.getModel(OPENAI_MODEL);
    await model
      .getResponse({
        input: "Why?",
        previousResponseId: "resp_1",
        modelSettings: {},
        tools: [],
        handoffs: [],
        outputType: "text",
        tracing: false,
      })
      .catch(() => undefined);
    expect(await engine.sessions()).toEqual([]);
  });

  test("never lets a folded view into a session of the SDK", async () => {
    const engine = createEngine({ model: OPENAI_MODEL, contextWindow: CONTEXT_WINDOW, maxTokens: 1_000 });
    const provider = palimpsestProvider(openAiProvider(server, "openai-responses"), { engine, sessionId: "s" });
    const session = new MemorySession();
    const long = `Check these logs.\n${Array.from({ length: 14 }, (_, room) => roomLog(room)).join("\n")}`;
    server.script({ type: "text", text: "Fine." });
    await new Runner({ modelProvider: provider }).run(roomAgent(), long, { session });
    expect(refusals()).toBe(0);
    expect((await session.getItems())[0]).toEqual(expect.objectContaining({ role: "user", content: long }));
  });
});
