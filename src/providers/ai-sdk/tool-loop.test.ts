import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { result, user } from "../../../test/support/messages.ts";
import type { Block, Message } from "../../core/message/message.ts";
import type { ModelCall, ModelChunk, ModelHandler, ToolUseChunk } from "../../core/ports/model-handler.ts";
import { type ModelServer, type ModelWire, type ScriptedToolCall, startModelServer } from "../../testing/index.ts";
import { createModelHandler } from "./index.ts";

interface Wire {
  readonly model: string;
  readonly wire: ModelWire;
}

const CLAUDE: Wire = { model: "anthropic/claude-haiku-4-5", wire: "anthropic" };
const GPT: Wire = { model: "openai/gpt-4o", wire: "openai" };
const GEMINI_2: Wire = { model: "google/gemini-2.5-flash", wire: "gemini" };
const GEMINI_3: Wire = { model: "google/gemini-3-pro-preview", wire: "gemini" };
const DEEPSEEK: Wire = { model: "deepseek/deepseek-v4-pro", wire: "deepseek" };
const COMPATIBLE: Wire = { model: "openai-compatible/house-model", wire: "openai" };
const COMPATIBLE_DEEPSEEK: Wire = { model: "openai-compatible/deepseek-v4-pro", wire: "deepseek" };

const WIRES = [CLAUDE, GPT, GEMINI_2, GEMINI_3, DEEPSEEK, COMPATIBLE, COMPATIBLE_DEEPSEEK];
/** They have the arguments as the model writes them; Gemini reads them first. */
const TEXT_WIRES = WIRES.filter(({ wire }) => wire !== "gemini");

const TOOLS: NonNullable<ModelCall["tools"]> = [
  {
    name: "files.read",
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  },
  { name: "run", description: "Runs a command.", inputSchema: { type: "object", properties: {} } },
];

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer();
});
afterEach(() => server.close());

function handlerFor({ model, wire }: Wire): ModelHandler {
  return createModelHandler({
    model,
    apiKey: "sk-test-0123456789",
    baseUrl: server.baseUrls[wire],
    environment: {},
    maxRetries: 0,
  });
}

function callWith(fields: Partial<ModelCall> = {}): ModelCall {
  return { signal: new AbortController().signal, maxOutputTokens: 500, temperature: 0, tools: TOOLS, ...fields };
}

async function ask(wire: Wire, messages: readonly Message[] = [user("Fix it.")], call = callWith()) {
  const chunks: ModelChunk[] = [];
  let error: unknown;
  try {
    for await (const chunk of handlerFor(wire).createMessage("Be brief.", messages, call)) chunks.push(chunk);
  } catch (thrown) {
    error = thrown;
  }
  return { chunks, error, calls: chunks.filter((chunk) => chunk.type === "tool_use") };
}

/** The reply as the blocks of one message, as an agent keeps it: through JSON. */
function blocksOf(chunks: readonly ModelChunk[]): readonly Block[] {
  const blocks = chunks.flatMap((chunk): Block[] => {
    if (chunk.type === "text") return [{ type: "text", text: chunk.text }];
    if (chunk.type === "reasoning_block") return [chunk.block];
    return chunk.type === "tool_use" ? [chunk] : [];
  });
  return JSON.parse(JSON.stringify(blocks));
}

/** Asks and answers calls until there are none, as an agent does; says what was called. */
async function runLoop(wire: Wire) {
  const messages: Message[] = [user("Fix it.")];
  const steps: (readonly ToolUseChunk[])[] = [];
  for (let step = 0; step < 10; step++) {
    const { chunks, calls, error } = await ask(wire, messages);
    if (error !== undefined) throw error;
    messages.push({ role: "assistant", content: blocksOf(chunks) });
    if (calls.length === 0) break;
    steps.push(calls);
    messages.push(user(...calls.map(({ id }) => result(id, `result of ${id}`))));
  }
  return { steps, messages };
}

function scripted(id: string, name: string, input: ScriptedToolCall["input"]): ScriptedToolCall {
  return { id, name, input };
}

const STEPS = [
  [scripted("call_1", "files_read", { path: "src/a.ts" }), scripted("call_2", "run", { command: "npm test" })],
  [scripted("call_3", "run", { command: 'echo "ü"', tags: ["a", { deep: null }] })],
  [scripted("call_4", "files_read", { path: "b.ts" }), scripted("call_5", "run", {})],
];

function scriptLoop(): void {
  const thoughts = ["First I look at both.", "It fails in a.ts.", "One more look."];
  server.script(
    ...STEPS.map((calls, index) => ({
      type: "tool-calls" as const,
      calls,
      reasoning: thoughts[index] ?? "",
      ...(index === 0 && { text: "I look." }),
    })),
    { type: "text", text: "Fixed.", reasoning: "That was all." },
  );
}

/** What the model said, as the request after the last step has it. */
function lastBody(): string {
  return JSON.stringify(server.requests.at(-1)?.body);
}

describe.each(WIRES)("a loop of three steps with $model", (wire) => {
  test("is accepted, and hands out every call with its own name and arguments", async () => {
    scriptLoop();
    const { steps } = await runLoop(wire);
    expect(server.requests.map(({ outcome, refusal }) => refusal ?? outcome)).toEqual(Array(4).fill("answered"));
    const called = steps.map((calls) => calls.map(({ name, input }) => ({ name, input })));
    const original = (name: string) => (name === "files_read" ? "files.read" : name);
    expect(called).toEqual(STEPS.map((calls) => calls.map(({ name, input }) => ({ name: original(name), input }))));
    const ids = steps.flat().map(({ id }) => id);
    expect(new Set(ids).size).toBe(5);
    // Gemini 2.5 has no ids of its own
    if (wire !== GEMINI_2) expect(ids).toEqual(["call_1", "call_2", "call_3", "call_4", "call_5"]);
  });

  test("offers the tools, the same in every request", async () => {
    scriptLoop();
    await runLoop(wire);
    const [first, ...others] = server.requests.map(({ body }) => JSON.stringify(body.tools));
    expect(first).toMatch(/files_read.*Reads a file.*path.*run.*Runs a command/);
    expect(new Set(others)).toEqual(new Set([first]));
    expect(lastBody()).not.toMatch(/"(tool_choice|mode)":"?(none|NONE)|"tool_choice":\{"type":"none"/);
  });

  test("comes to a model as one that never saw the tools, and is still accepted", async () => {
    scriptLoop();
    const { messages } = await runLoop(wire);
    const { error } = await ask(wire, [...messages, user("And?")], callWith({ tools: TOOLS.slice(1) }));
    expect(error).toBeUndefined();
    const condensed = await ask(wire, [...messages, user("Summarise.")], callWith({ tools: [] }));
    expect(condensed.error).toBeUndefined();
  });

  test("goes on with another model", async () => {
    scriptLoop();
    const { messages } = await runLoop(wire);
    for (const other of WIRES) expect((await ask(other, [...messages, user("And?")])).error).toBeUndefined();
  });
});

describe("what has to go back", () => {
  test("Claude's thoughts do, signed and sealed, before the calls that they led to", async () => {
    server.script(
      {
        type: "tool-calls",
        calls: [scripted("call_1", "run", {})],
        reasoning: "So: look first. \n",
        redactedReasoning: "c2VhbGVk",
      },
      { type: "text", text: "Done." },
    );
    const { messages } = await runLoop(CLAUDE);
    expect(messages[1]?.content).toMatchObject([
      { type: "reasoning", text: "So: look first. \n", signature: expect.stringMatching(/^palimpsest-/) },
      { type: "reasoning", text: "", redactedData: "c2VhbGVk" },
      { type: "tool_use" },
    ]);
    expect(server.requests[1]?.body.messages).toMatchObject([
      {},
      { content: [{ type: "thinking" }, { type: "redacted_thinking", data: "c2VhbGVk" }, { type: "tool_use" }] },
      {},
    ]);
  });

  test("sealed thoughts of an imported session do too", async () => {
    const sealed = { type: "redacted_thinking", data: "c2VhbGVk" };
    const called = { role: "assistant", content: [sealed, { type: "tool_use", id: "c1", name: "run", input: {} }] };
    await ask(CLAUDE, [user("go"), { ...called, role: "assistant" }, user(result("c1"))]);
    expect(server.requests).toMatchObject([{ outcome: "answered" }]);
    expect(lastBody()).toContain(JSON.stringify(sealed));
  });

  test("Gemini's signatures do, on the calls that they came with", async () => {
    scriptLoop();
    const { messages, steps } = await runLoop(GEMINI_3);
    const signature = expect.stringMatching(/^[\w+/=]+$/);
    expect(steps[0]?.[0]).toHaveProperty("thoughtSignature", signature);
    expect(steps[0]?.[1]).not.toHaveProperty("thoughtSignature");
    const sent = lastBody();
    for (const [call] of steps) {
      if (call === undefined || !("thoughtSignature" in call)) throw new Error("no signature");
      expect(sent).toContain(`"thoughtSignature":${JSON.stringify(call.thoughtSignature)}`);
    }
    expect(sent).not.toContain("skip_thought_signature_validator");
    expect(messages[1]?.content).toContainEqual(
      expect.objectContaining({ type: "tool_use", thoughtSignature: signature }),
    );
  });

  test.each([DEEPSEEK, COMPATIBLE_DEEPSEEK])("the thoughts of $model do, as they were", async (wire) => {
    scriptLoop();
    await runLoop(wire);
    for (const thought of ["First I look at both.", "It fails in a.ts.", "One more look."]) {
      expect(lastBody()).toContain(`"reasoning_content":${JSON.stringify(thought)}`);
    }
  });
});

describe.each(TEXT_WIRES)("a call of $model", (wire) => {
  test.each(['{"path": "a.ts', "path=a.ts", '{"a":1}}'])("with %s, which is no JSON, tells it", async (rawInput) => {
    const broken = { ...scripted("call_1", "run", {}), rawInput };
    server.script({ type: "tool-calls", calls: [broken, scripted("call_2", "run", { command: "ls" })] });
    const { calls, error } = await ask(wire);
    expect(error).toBeUndefined();
    expect(calls).toMatchObject([
      { id: "call_1", input: {}, brokenInput: rawInput },
      { id: "call_2", input: { command: "ls" } },
    ]);
    expect(calls[1]).not.toHaveProperty("brokenInput");
    const [call] = calls;
    if (call === undefined) throw new Error("no call");
    const answered = [user("go"), { role: "assistant", content: [call] } as const, user(result("call_1", "no JSON"))];
    expect((await ask(wire, answered)).error).toBeUndefined();
  });

  test("without any arguments is one with none", async () => {
    server.script({ type: "tool-calls", calls: [{ ...scripted("call_1", "run", {}), rawInput: "" }] });
    const { calls } = await ask(wire);
    expect(calls).toEqual([{ type: "tool_use", id: "call_1", name: "run", input: {} }]);
  });

  test("of a tool that was not offered keeps its name", async () => {
    server.script({ type: "tool-calls", calls: [scripted("call_1", "invented", {})] });
    expect((await ask(wire)).calls).toMatchObject([{ name: "invented" }]);
  });
});

test.each([GEMINI_2, GEMINI_3])("$model fails for now where it calls with what is no JSON", async (wire) => {
  server.script({ type: "tool-calls", calls: [{ ...scripted("call_1", "run", {}), rawInput: "{" }] });
  const { calls, error } = await ask(wire);
  expect(calls).toEqual([]);
  expect(error).toMatchObject({ code: "model-failed", isTransient: true, message: expect.stringMatching(/no JSON/) });
});

describe.each(WIRES)("a stream of $model that stops inside a call", (wire) => {
  const calls = [scripted("call_1", "run", { command: "ls" }), scripted("call_2", "run", { command: "rm -rf build" })];

  test.each(["cut", "trail-off"] as const)("by %s throws, and hands out no call", async (type) => {
    server.script({ type, text: "I clean up.", calls });
    const reply = await ask(wire);
    expect(reply.chunks).not.toEqual([]);
    expect(reply.calls).toEqual([]);
    expect(reply.error).toMatchObject({ code: "model-failed", status: undefined });
  });

  test("because the caller left ends with the caller's reason, and hands out no call", async () => {
    server.script({ type: "hang-mid-stream", text: "I clean up.", calls });
    const controller = new AbortController();
    const reason = new Error("that will do");
    const types: string[] = [];
    const read = async () => {
      const reply = handlerFor(wire).createMessage("", [user("go")], callWith({ signal: controller.signal }));
      for await (const { type } of reply) {
        types.push(type);
        setTimeout(() => controller.abort(reason), 50);
      }
    };
    await expect(read()).rejects.toBe(reason);
    expect(types).not.toContain("tool_use");
    expect(types).toContain("text");
  });
});

test("tools whose names are sent alike are refused before anything is sent", async () => {
  const alike = ["a.b", "a_b"].map((name) => ({ name, description: "", inputSchema: { type: "object" } }));
  const { error } = await ask(CLAUDE, undefined, callWith({ tools: alike }));
  expect(error).toMatchObject({ code: "invalid-argument", message: expect.stringContaining('"a.b" and "a_b"') });
  expect(server.requests).toHaveLength(0);
});

describe("what an error tells", () => {
  test.each(WIRES)("$model: that the prompt is too long, and by how much", async (wire) => {
    const small = await startModelServer({ contextWindow: 1_000 });
    try {
      const handler = createModelHandler({ model: wire.model, apiKey: "sk-test", baseUrl: small.baseUrls[wire.wire] });
      const read = async () => {
        for await (const _ of handler.createMessage("", [user("word ".repeat(2_000))]));
      };
      await expect(read()).rejects.toMatchObject({
        status: 400,
        isTransient: false,
        tooLong: { isTooLong: true, by: "tokens", limitTokens: 1_000, promptTokens: expect.any(Number) },
      });
    } finally {
      await small.close();
    }
  });

  test.each(WIRES)("$model: that it asks for a pause", async (wire) => {
    server.script({ type: "error", status: 429, message: "tokens per minute", retryAfterSeconds: 7 });
    expect((await ask(wire)).error).toMatchObject({
      status: 429,
      isTransient: true,
      retryAfterMs: 7_000,
      tooLong: { isTooLong: false },
    });
  });
});
