/** The gateway's recall tool over restarts, faults and bounds. */
import { describe, expect, test } from "vitest";
import { UNANSWERED_CALL } from "../../src/core/recall/tool-definition.ts";
import type { GatewayOptions } from "../../src/gateway/index.ts";
import type { ModelServer } from "../../src/testing/index.ts";
import type { SdkKind } from "../support/gateway-client.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { SDK_KINDS } from "../support/gateway-sessions.ts";
import { startGatewayBefore, startServer } from "../support/gateway-world.ts";
import { HIDDEN_FACT, QUESTION } from "../support/hidden-fact.ts";
import {
  answerFromPrompt,
  itemsOf,
  RECALL_WINDOW,
  RECALLING,
  readFile,
  recallCall,
  talkUntilHidden,
  toolNames,
} from "../support/recall-talk.ts";
import { describeDurableStores, memoryPlace } from "../support/stores.ts";

const WAYS = SDK_KINDS.flatMap((kind) => [
  { kind, name: kind.name, isStreaming: false, how: "whole" },
  { kind, name: kind.name, isStreaming: true, how: "streamed" },
]);

interface TalkOptions {
  readonly gateway?: Partial<GatewayOptions>;
  readonly fields?: Readonly<Record<string, unknown>>;
}

async function startTalk(kind: SdkKind, { gateway = {}, fields }: TalkOptions = {}) {
  const server = await startServer({ contextWindow: RECALL_WINDOW, reply: answerFromPrompt });
  const started = await startGatewayBefore(server, { ...RECALLING, ...gateway });
  const client = kind.open({ url: () => started.gateway.url, ...(fields && { fields }) });
  await talkUntilHidden(client, server);
  return { ...started, server, client };
}

function newestItems(kind: SdkKind, { requests }: ModelServer): readonly string[] {
  const newest = requests.at(-1);
  return newest === undefined ? [] : itemsOf(kind, newest);
}

/** What stands before it may be folded meanwhile. */
function itemsSinceQuestion(kind: SdkKind, server: ModelServer): readonly string[] {
  const items = newestItems(kind, server);
  const start = items.findIndex((item) => item.includes(QUESTION));
  expect(start).toBeGreaterThan(0);
  return items.slice(start);
}

await describeDurableStores("what was recalled", (makePlace) => {
  test.each(SDK_KINDS)("is sent again with the same bytes by another gateway: $name", async (kind) => {
    const place = makePlace();
    const server = await startServer({ contextWindow: RECALL_WINDOW, reply: answerFromPrompt });
    const one = await startGatewayBefore(server, { ...RECALLING, store: place.open() });
    let { url } = one.gateway;
    const client = kind.open({ url: () => url });
    await talkUntilHidden(client, server);
    client.say(QUESTION);
    server.script({ type: "tool-calls", text: "A moment.", calls: [recallCall(), recallCall({ query: "greased" })] });
    await client.ask(true);
    const exchanged = itemsSinceQuestion(kind, server);
    expect(exchanged.join("")).toContain(HIDDEN_FACT);

    const other = await startGatewayBefore(server, { ...RECALLING, store: place.open() });
    ({ url } = other.gateway);
    client.say("Read b.txt, and look again.");
    server.script({ type: "tool-calls", calls: [readFile("b.txt"), recallCall({ query: "pump 17" })] });
    await client.ask(false);
    expect(itemsSinceQuestion(kind, server).slice(0, exchanged.length)).toEqual(exchanged);
    ({ url } = one.gateway);
    client.giveOutputs(["It says: nothing."]);
    await client.ask(true);
    const beside = itemsSinceQuestion(kind, server);
    expect(beside.slice(0, exchanged.length)).toEqual(exchanged);

    await one.gateway.close();
    await other.gateway.close();
    const third = await startGatewayBefore(server, { ...RECALLING, store: place.open() });
    ({ url } = third.gateway);
    client.say("Thanks.");
    await client.ask(true);
    expect(itemsSinceQuestion(kind, server).slice(0, beside.length)).toEqual(beside);
    expect(toolNames(server.requests.at(-1) ?? expect.fail())).toEqual(["read_file", "recall"]);
    expect(invalidRequests(server)).toEqual([]);
    expect([one, other, third].flatMap(({ incidents }) => incidents)).toEqual([]);
  });
});

describe.each(WAYS)("$name, $how", ({ kind, isStreaming }) => {
  test("a model that calls it again and again is answered five times, told to stop, and then not let call", async () => {
    const { server, client, incidents } = await startTalk(kind);
    const before = server.requests.length;
    client.say(QUESTION);
    for (let call = 0; call < 7; call++) {
      server.script({ type: "tool-calls", calls: [recallCall({ query: `hall ${call}` })] });
    }
    const { text, callCount } = await client.ask(isStreaming);
    expect(callCount).toBe(0);
    expect(text).not.toBe("");
    const bodies = server.requests.slice(before).map(({ rawBody }) => rawBody);
    expect(bodies).toHaveLength(8);
    expect(bodies.map((body) => body.includes("Enough was recalled"))).toEqual([
      false,
      false,
      false,
      false,
      false,
      false,
      true,
      true,
    ]);
    const forbidding = bodies.map((body) => /"tool_choice":(?:"none"|\{"type":"none"\})|"mode":"NONE"/.test(body));
    expect(forbidding).toEqual([false, false, false, false, false, false, false, true]);
    client.say("Go on.");
    await client.ask(isStreaming);
    expect(invalidRequests(server)).toEqual([]);
    expect(incidents).toEqual([]);
  });

  test.each(["", "A moment."])(
    "a model that does not stop calling it gives a reply that the agent can send back: text %j",
    async (text) => {
      const { server, client, gateway, incidents } = await startTalk(kind);
      const before = server.requests.length;
      client.say(QUESTION);
      const turns = Array.from({ length: 10 }, () => ({ type: "tool-calls", text, calls: [recallCall()] }) as const);
      server.script(...turns);
      const reply = await client.ask(isStreaming);
      const asked = server.requests.length - before;
      expect(asked).toBe(9);
      expect(reply.callCount).toBe(0);
      expect(reply.text).toContain(UNANSWERED_CALL);
      expect(reply.text.split("A moment.").length - 1).toBe(text === "" ? 0 : asked);
      const exchanged = itemsSinceQuestion(kind, server);
      client.say("Go on.");
      // The tenth call comes in this turn.
      expect((await client.ask(isStreaming)).text).toContain(HIDDEN_FACT);
      client.say("And on.");
      await client.ask(isStreaming);
      const later = itemsSinceQuestion(kind, server);
      expect(later.slice(0, exchanged.length)).toEqual(exchanged);
      expect(later.filter((item) => item.includes(UNANSWERED_CALL))).toHaveLength(1);
      expect(invalidRequests(server)).toEqual([]);
      expect(incidents).toEqual([]);
      const [{ id } = expect.fail()] = await gateway.engine.sessions();
      const log = await (await gateway.engine.session(id)).log();
      expect(JSON.stringify(log).split('"name":"recall"').length - 1).toBeGreaterThanOrEqual(asked);
    },
  );

  test("a fold that does not exist is answered with those that do", async () => {
    const { server, client } = await startTalk(kind);
    client.say(QUESTION);
    server.script({ type: "tool-calls", calls: [recallCall({ id: "clear-nowhere" })] });
    await client.ask(isStreaming);
    expect(newestItems(kind, server).join("")).toMatch(/There is no fold or message.*The folds are truncate-/);
  });

  test("the upstream's error after a call reaches the client, and the conversation goes on", async () => {
    const { server, client, incidents } = await startTalk(kind);
    client.say(QUESTION);
    const calls = [recallCall()];
    for (const fault of [
      { type: "error", status: 529, message: "Overloaded, come back later" },
      { type: "cut", text: "It is" },
      { type: "late-error", status: 503, message: "Overloaded, come back later" },
    ] as const) {
      server.script({ type: "tool-calls", text: "A moment.", calls }, fault);
      await expect(client.ask(isStreaming)).rejects.toThrow();
    }
    const { text } = await client.ask(isStreaming);
    expect(text).toBe("I do not know.");
    server.script({ type: "tool-calls", calls: [recallCall()] });
    client.say("Look it up.");
    expect((await client.ask(isStreaming)).text).toBe(`It is ${HIDDEN_FACT}.`);
    expect(invalidRequests(server)).toEqual([]);
    expect(incidents).toEqual([]);
  });

  test("without the option nothing is offered, and a call of that name is the agent's", async () => {
    const { server, client } = await startTalk(kind, { gateway: { recallTool: false } });
    client.say(QUESTION);
    server.script({ type: "tool-calls", calls: [recallCall()] });
    expect((await client.ask(isStreaming)).callCount).toBe(1);
    expect(server.requests.flatMap(toolNames)).not.toContain("recall");
  });

  test("the statement has each request of the reply, and the client the sum", async () => {
    const { server, client, gateway, turns } = await startTalk(kind);
    const before = server.requests.length;
    client.say(QUESTION);
    const usage = { inputTokens: 3_000, outputTokens: 20 };
    server.script({ type: "tool-calls", calls: [recallCall()], usage }, { type: "text", text: "Yes.", usage });
    await client.ask(isStreaming);
    client.say("Thanks.");
    await client.ask(isStreaming);
    expect(turns.at(-2)?.usage).toMatchObject({ inputTokens: 6_000, outputTokens: 40 });
    const [{ id: sessionId } = expect.fail()] = await gateway.engine.sessions();
    const session = await gateway.engine.session(sessionId);
    const requests = (await session.events()).filter(({ type }) => type === "request");
    expect(server.requests.length - before).toBe(3);
    expect(requests).toHaveLength(server.requests.length);
  });
});

test.each([true, false])("thoughts go back as they were signed, in their order (streamed: %s)", async (isStreaming) => {
  const [kind = expect.fail()] = SDK_KINDS;
  const fields = { thinking: { type: "enabled", budget_tokens: 1_024 } };
  const { server, client, incidents } = await startTalk(kind, { fields });
  client.say(QUESTION);
  const reasoning = ["Where was that?", "There it is.", "Now the file."];
  server.script(
    { type: "tool-calls", reasoning: reasoning[0] ?? "", text: "A moment.", calls: [recallCall()] },
    { type: "tool-calls", reasoning: reasoning[1] ?? "", redactedReasoning: "sealed", calls: [recallCall()] },
    { type: "tool-calls", reasoning: reasoning[2] ?? "", calls: [recallCall(), readFile("c.txt")] },
  );
  expect((await client.ask(isStreaming)).callCount).toBe(1);
  client.giveOutputs(["nothing"]);
  await client.ask(isStreaming);
  const said = newestItems(kind, server).join("");
  expect(reasoning.map((thought) => said.split(thought).length)).toEqual([2, 2, 2]);
  expect(said).toMatch(
    /Where was that\?.*tool_result.*There it is\..*sealed.*tool_result.*Now the file\..*tool_result/,
  );
  expect(invalidRequests(server)).toEqual([]);
  expect(incidents).toEqual([]);
});

test("an agent that has a tool of that name keeps it", async () => {
  const [kind = expect.fail()] = SDK_KINDS;
  const fields = { tools: [{ name: "recall", description: "Mine.", input_schema: { type: "object" } }] };
  const server = await startServer({ contextWindow: RECALL_WINDOW, reply: answerFromPrompt });
  const { gateway } = await startGatewayBefore(server, { ...RECALLING, store: memoryPlace().open() });
  const client = kind.open({ url: () => gateway.url, fields });
  await talkUntilHidden(client, server);
  client.say(QUESTION);
  server.script({ type: "tool-calls", calls: [recallCall()] });
  expect((await client.ask(true)).callCount).toBe(1);
  expect(toolNames(server.requests.at(-1) ?? expect.fail())).toEqual(["recall"]);
});
