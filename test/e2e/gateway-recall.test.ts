/** The recall tool that the gateway offers: official clients of each API see one reply, and the provider the true exchange. */
import { describe, expect, test } from "vitest";
import type { SdkKind } from "../support/gateway-client.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { SDK_KINDS } from "../support/gateway-sessions.ts";
import { startWorld } from "../support/gateway-world.ts";
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

const WAYS = SDK_KINDS.flatMap((kind) => [
  { kind, name: kind.name, isStreaming: false, how: "whole" },
  { kind, name: kind.name, isStreaming: true, how: "streamed" },
]);

async function startTalk(kind: SdkKind, options: { readonly recallTool?: boolean } = {}) {
  const world = await startWorld({
    server: { contextWindow: RECALL_WINDOW, reply: answerFromPrompt },
    gateway: { ...RECALLING, ...options },
  });
  const client = kind.open({ url: world.url });
  await talkUntilHidden(client, world.server);
  return { ...world, client };
}

describe.each(WAYS)("$name, $how", ({ kind, isStreaming }) => {
  test("a question that only a fold answers is answered, and later requests repeat the exchange", async () => {
    const { server, client, incidents } = await startTalk(kind);
    const before = server.requests.length;
    client.say(QUESTION);
    server.script({ type: "tool-calls", text: "Let me look that up.", calls: [recallCall()] });
    const reply = await client.ask(isStreaming);
    expect(reply.text.replaceAll(/\s+/g, " ")).toMatch(new RegExp(`^Let me look that up\\. ?It is ${HIDDEN_FACT}\\.$`));
    expect(reply.callCount).toBe(0);
    const [asked, answered, ...others] = server.requests.slice(before);
    expect(others).toEqual([]);
    if (asked === undefined || answered === undefined) throw new Error("There are two.");
    expect(toolNames(asked)).toEqual(["read_file", "recall"]);
    expect(asked.rawBody).not.toContain(HIDDEN_FACT);
    expect(answered.rawBody).toContain(HIDDEN_FACT);
    const items = itemsOf(kind, answered);
    expect(items.slice(0, itemsOf(kind, asked).length)).toEqual(itemsOf(kind, asked));

    client.say("Thanks. Is that all?");
    await client.ask(!isStreaming);
    client.say("Good.");
    await client.ask(isStreaming);
    const [first, second] = server.requests.slice(-2).map((request) => itemsOf(kind, request));
    expect(first?.slice(0, items.length)).toEqual(items);
    expect(second?.slice(0, first?.length)).toEqual(first);
    // Gemini's texts are sent back in the pieces that they came in.
    const said = first?.join("").replaceAll('"},{"text":"', "");
    expect(said?.split("Let me look that up.")).toHaveLength(2);
    expect(invalidRequests(server)).toEqual([]);
    expect(incidents).toEqual([]);
  });

  test("a call beside the agent's own is taken out, and answered with theirs", async () => {
    const { server, client, incidents } = await startTalk(kind);
    client.say("Read a.txt, and say which seal number pump 17 has.");
    server.script({ type: "tool-calls", text: "Both at once.", calls: [recallCall(), readFile("a.txt")] });
    const reply = await client.ask(isStreaming);
    expect([reply.text, reply.callCount]).toEqual(["Both at once.", 1]);
    client.giveOutputs(["It says: nothing."]);
    const { text } = await client.ask(isStreaming);
    expect(text).toBe(`It is ${HIDDEN_FACT}.`);
    const answered = server.requests.at(-1);
    client.say("Thanks.");
    await client.ask(isStreaming);
    const [items, later] = [answered, server.requests.at(-1)].map((request) => (request ? itemsOf(kind, request) : []));
    expect(later?.slice(0, items?.length)).toEqual(items);
    expect(invalidRequests(server)).toEqual([]);
    expect(incidents).toEqual([]);
  });
});

test.each(SDK_KINDS)("$name: a stream that ends inside a call of it is not gone on with", async (kind) => {
  const { server, client, incidents } = await startTalk(kind);
  client.say(QUESTION);
  const before = server.requests.length;
  server.script({ type: "trail-off", text: "Let me look that up.", calls: [recallCall()] });
  // Some clients take what they have for a reply, others throw.
  const said = await client.ask(true).then(
    ({ text }) => text,
    () => "Let me look that up.",
  );
  expect([said, server.requests.length - before]).toEqual(["Let me look that up.", 1]);
  expect(incidents).toEqual([]);
});

test.each(SDK_KINDS)("the definition is counted from the request on in which it is added: $name", async (kind) => {
  const measure = async (recallTool: boolean) => {
    const { url, server } = await startWorld({
      server: { contextWindow: RECALL_WINDOW, reply: answerFromPrompt },
      gateway: { ...RECALLING, recallTool },
    });
    const client = kind.open({ url });
    const foretold: number[] = [];
    const ask: typeof client.ask = async (isStreaming) => {
      const reply = await client.ask(isStreaming);
      foretold.push(Number(reply.headers.get("x-palimpsest-tokens-sent")));
      return reply;
    };
    await talkUntilHidden({ ...client, ask }, server);
    client.say("Thanks.");
    await ask(false);
    return { foretold, sent: server.requests.map(({ promptTokens }) => promptTokens) };
  };
  const [on, off] = [await measure(true), await measure(false)];
  expect(on.foretold).toHaveLength(off.foretold.length);
  const added = (one: readonly number[], other: readonly number[]) =>
    one.map((tokens, at) => tokens - (other[at] ?? 0));
  const inFact = added(on.sent, off.sent);
  expect(inFact.at(-1)).toBeGreaterThan(100);
  for (const [at, tokens] of added(on.foretold, off.foretold).entries()) {
    expect([at, Math.abs(tokens - (inFact[at] ?? 0)) <= 50, tokens, inFact[at]]).toEqual([
      at,
      true,
      tokens,
      inFact[at],
    ]);
  }
});
