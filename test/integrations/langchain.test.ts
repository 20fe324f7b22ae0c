import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createEngine } from "../../src/index.ts";
import { palimpsestMiddleware } from "../../src/integrations/langchain/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { roomAgent, runAgent } from "./langchain-agent.ts";
import {
  CONTEXT_WINDOW,
  FINAL_REPLY,
  figuresOf,
  MODEL_ID,
  ROOMS,
  reportedTokens,
  roomLog,
  rooms,
  startThirtyTurns,
  type ThirtyTurns,
  TOOL_NAME,
} from "./thirty-turns.ts";

let run: ThirtyTurns;

beforeEach(async () => {
  run = await startThirtyTurns();
});

afterEach(() => run.server.close());

const callOf = (room: number) =>
  new AIMessage({ content: "", tool_calls: [{ id: `c${room}`, name: TOOL_NAME, args: { room } }] });
const resultOf = (room: number) => new ToolMessage({ content: roomLog(room), tool_call_id: `c${room}` });

describe("thirty tool turns in a window of 32,000 tokens", () => {
  test("are too many for an agent without Palimpsest", async () => {
    const { error } = await runAgent(roomAgent(run.server, []), "alone");
    expect(String(error)).toContain("prompt is too long");
    const { roomsRead, refusals } = await figuresOf(run);
    expect({ isEarly: roomsRead < 12, refusals }).toEqual({ isEarly: true, refusals: 1 });
  });

  test("are all done with it, and the agent's state keeps every result whole", async () => {
    const engine = createEngine({ model: MODEL_ID, contextWindow: CONTEXT_WINDOW, maxTokens: 1_000 });
    const errors: unknown[] = [];
    const middleware = palimpsestMiddleware({ engine, onError: (error) => errors.push(error) });
    const { messages, error } = await runAgent(roomAgent(run.server, [middleware]), "inspection");
    expect({ error, errors }).toEqual({ error: undefined, errors: [] });

    const session = await engine.session("inspection");
    const figures = await figuresOf(run, session);
    expect(figures).toMatchObject({ roomsRead: ROOMS, refusals: 0, factsFound: ROOMS });
    expect((await session.folds()).length).toBeGreaterThan(0);
    expect(await reportedTokens(session)).toBe(figures.tokensSent);

    const results = messages.filter(({ type }) => type === "tool").map(({ content }) => content);
    expect(results).toEqual(rooms().map(roomLog));
    expect(messages.at(-1)?.text).toBe(FINAL_REPLY);
    expect((await session.log()).at(-1)).toMatchObject({ role: "assistant", content: FINAL_REPLY });
  });
});

describe("a call of the model", () => {
  const small = { model: MODEL_ID, contextWindow: CONTEXT_WINDOW, maxTokens: 1_000 };

  test("sends messages without folds as LangChain's own objects, and the folded ones as such", async () => {
    const session = await createEngine(small).session("objects");
    const { wrapModelCall } = palimpsestMiddleware({ session });
    const results = rooms().slice(0, 12);
    const messages: BaseMessage[] = [
      new HumanMessage("Read all rooms."),
      ...results.flatMap((room) => [callOf(room), resultOf(room)]),
    ];
    let sent: readonly object[] = [];
    const handler = async (request: { readonly messages: readonly object[] }) => {
      sent = request.messages;
      return new AIMessage("Done.");
    };
    await wrapModelCall({ messages, runtime: {} }, handler);
    expect(sent.length).toBeGreaterThan(2);
    expect(sent.some((message) => !messages.some((each) => each === message))).toBe(true);
    expect(sent.filter((message) => messages.some((each) => each === message)).length).toBeGreaterThan(1);
    expect(sent.every((message) => message instanceof HumanMessage || "lc_kwargs" in message)).toBe(true);
    expect(sent.at(-1)).toBe(messages.at(-1));
  });

  test("is made once more with a shorter prompt where the server refuses it as too long", async () => {
    // The engine believes in a window that the server does not have.
    const engine = createEngine({ ...small, contextWindow: 60_000 });
    const { error } = await runAgent(roomAgent(run.server, [palimpsestMiddleware({ engine })]), "refused");
    expect(error).toBeUndefined();
    const { roomsRead, refusals } = await figuresOf(run);
    expect({ roomsRead, isFew: refusals > 0 && refusals < 5 }).toEqual({ roomsRead: ROOMS, isFew: true });
  });

  test("is sent as LangChain had it where the store fails, and the fault is told", async () => {
    const store = memoryStore();
    const engine = createEngine({ ...small, store });
    await store.close();
    const errors: unknown[] = [];
    const { wrapModelCall } = palimpsestMiddleware({ engine, onError: (error) => errors.push(error) });
    const messages = [new HumanMessage("Hello.")];
    const reply = new AIMessage("Hi.");
    const sent: unknown[] = [];
    const request = { messages, runtime: { configurable: { thread_id: "t1" } } };
    const answer = await wrapModelCall(request, async (passed) => {
      sent.push(passed);
      return reply;
    });
    expect(answer).toBe(reply);
    expect(sent).toEqual([request]);
    expect(errors).toHaveLength(1);
  });

  test("that another agent makes in the same thread has a session of its own", async () => {
    const engine = createEngine(small);
    const { wrapModelCall } = palimpsestMiddleware({ engine });
    const ask = (said: string, checkpoint_ns: string) =>
      wrapModelCall(
        { messages: [new HumanMessage(said)], runtime: { configurable: { thread_id: "t1", checkpoint_ns } } },
        async () => new AIMessage("Yes."),
      );
    await ask("Outer.", "model_request:1");
    await ask("Inner.", "tools:2|model_request:3");
    expect((await engine.sessions()).map(({ id }) => id).toSorted()).toEqual(["t1", "t1/tools:2"]);
    expect(await (await engine.session("t1")).log()).toMatchObject([{ content: "Outer." }, { content: "Yes." }]);
  });

  test("may give a structured response, and nothing is told as a fault", async () => {
    const session = await createEngine(small).session("structured");
    const errors: unknown[] = [];
    const { wrapModelCall } = palimpsestMiddleware({ session, onError: (error) => errors.push(error) });
    const response = { structuredResponse: { a: 1 }, messages: [new AIMessage("Yes.")] };
    const request = { messages: [new HumanMessage("One.")], runtime: {} };
    expect(await wrapModelCall(request, async () => response)).toBe(response);
    expect(errors).toEqual([]);
  });

  test("rewinds the session where LangChain's history was edited", async () => {
    const session = await createEngine(small).session("edited");
    const { wrapModelCall } = palimpsestMiddleware({ session });
    const ask = (...messages: BaseMessage[]) =>
      wrapModelCall({ messages, runtime: {} }, async () => new AIMessage("Yes."));
    const first = new HumanMessage("One.");
    await ask(first);
    await ask(first, new AIMessage("Yes."), new HumanMessage("Two."));
    await ask(first, new AIMessage("Yes."), new HumanMessage("Other."));
    expect((await session.log()).map(({ content }) => content)).toEqual(["One.", "Yes.", "Other.", "Yes."]);
  });
});
