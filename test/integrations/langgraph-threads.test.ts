/** Threads of LangGraph beside sessions of an engine, in one store. */

import { createAgent } from "langchain";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createEngine, type Store } from "../../src/index.ts";
import { palimpsestCheckpointer, palimpsestMiddleware } from "../../src/integrations/langchain/index.ts";
import { type ModelServer, startModelServer } from "../../src/testing/index.ts";
import { describeStores } from "../support/stores.ts";
import { chatModel } from "./langchain-agent.ts";
import { MODEL_ID } from "./thirty-turns.ts";

let server: ModelServer;

beforeEach(async () => {
  server = await startModelServer();
});

afterEach(() => server.close());

const config = { configurable: { thread_id: "harbour" } };

function agentOn(store: Store) {
  const engine = createEngine({ model: MODEL_ID, store });
  const middleware = [palimpsestMiddleware({ engine })];
  const checkpointer = palimpsestCheckpointer({ store });
  const agent = createAgent({ model: chatModel(server), tools: [], middleware, checkpointer });
  const say = async (content: string) => {
    const { messages } = await agent.invoke({ messages: [{ role: "user", content }] }, config);
    return messages.map(({ text }) => text);
  };
  return { engine, checkpointer, say };
}

await describeStores("a thread", (makePlace) => {
  test("goes on where another agent on the same store has left it, and so does its session", async () => {
    const place = makePlace();
    server.script({ type: "text", text: "Two blinks." }, { type: "text", text: "Lamp 7." });
    await agentOn(place.open()).say("Why does it blink?");
    const { engine, say } = agentOn(place.open());
    const said = ["Why does it blink?", "Two blinks.", "Which lamp?", "Lamp 7."];
    expect(await say("Which lamp?")).toEqual(said);
    expect((await (await engine.session("harbour")).log()).map(({ content }) => content)).toEqual(said);
  });

  test("is in nobody's way when sessions are searched, and is gone when it is deleted", async () => {
    const store = makePlace().open();
    const { engine, checkpointer, say } = agentOn(store);
    await say("Why does the langgraph checkpoint namespace writes lamp blink?");
    const hits = await engine.recall("langgraph checkpoint namespace writes lamp");
    expect(new Set(hits.map(({ sessionId }) => sessionId))).toEqual(new Set(["harbour"]));
    expect(await checkpointer.getTuple(config)).toMatchObject({ config });
    await checkpointer.deleteThread("harbour");
    expect(await checkpointer.getTuple(config)).toBeUndefined();
    expect((await (await engine.session("harbour")).log()).length).toBe(2);
  });

  test("is not listed among the sessions, which are as many as were asked for", async () => {
    const store = makePlace().open();
    const { engine, checkpointer, say } = agentOn(store);
    for (const name of ["a", "b", "c"]) await (await engine.session(name)).append({ role: "user", content: "Hello." });
    // Its thread and its session are written to last, so both come first in the store.
    await say("Why does it blink?");
    const listed = async (limit: number) => (await engine.sessions({ limit })).map(({ id }) => id);
    expect(await listed(100)).toEqual(["harbour", "c", "b", "a"]);
    expect(await listed(2)).toEqual(["harbour", "c"]);
    expect(await store.find("langgraph:harbour")).toBeDefined();
    expect(await checkpointer.getTuple(config)).toMatchObject({ config });
  });

  test("is opened by no engine, which says whose it is", async () => {
    const { engine, say } = agentOn(makePlace().open());
    await say("Why does it blink?");
    await expect(engine.session("langgraph:harbour")).rejects.toMatchObject({
      code: "invalid-argument",
      message: expect.stringContaining("palimpsest/langchain"),
    });
  });
});
