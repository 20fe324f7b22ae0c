/** Where nobody recalls, replies pass the gateway's recall tool byte for byte; compressed ones are read all the same. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { WIRE_ADAPTERS } from "../../src/adapters/index.ts";
import { toAnthropic } from "../../src/messages/index.ts";
import type { ScriptedReply } from "../../src/testing/index.ts";
import { SDK_KINDS } from "../support/gateway-sessions.ts";
import { startGatewayBefore, startServer } from "../support/gateway-world.ts";
import { HIDDEN_FACT, talkWithFact } from "../support/hidden-fact.ts";
import { PROPERTY_RUNS } from "../support/property-runs.ts";
import { RECALLING, readFile } from "../support/recall-talk.ts";

const REPLIES: readonly ScriptedReply[] = [
  { type: "text", text: 'It says "recall" and no more.\n\nÜber 🎈.', reasoning: "Hm." },
  { type: "tool-calls", text: "Reading.", calls: [readFile("recall.txt"), readFile("b.txt")] },
];

/** Replies as they are on the wire, caught between a client and the server. */
async function caughtReplies(kind: (typeof SDK_KINDS)[number], isStreaming: boolean): Promise<readonly string[]> {
  const server = await startServer();
  const caught: string[] = [];
  const between = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk);
    const headers = new Headers();
    for (const name of ["content-type", "x-goog-api-key", "x-api-key", "authorization", "anthropic-version"]) {
      const value = request.headers[name];
      if (typeof value === "string") headers.set(name, value);
    }
    const reply = await fetch(server.url + request.url, { method: "POST", headers, body: Buffer.concat(body) });
    const text = await reply.text();
    caught.push(text);
    response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "" }).end(text);
  });
  await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void between.close());
  const client = kind.open({ url: () => `http://127.0.0.1:${portOf(between.address())}` });
  for (const reply of REPLIES) {
    client.say("Go on.");
    server.script(reply);
    await client.ask(isStreaming);
    if (reply.type === "tool-calls") client.giveOutputs(["x", "y"]);
  }
  return caught;
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

describe.each(SDK_KINDS)("$name", (kind) => {
  const recall = WIRE_ADAPTERS.find(({ name }) => name === kind.api)?.recall ?? expect.fail();

  test.each([true, false])(
    "a reply without our call passes as it came, in any pieces (streamed: %s)",
    async (isStreaming) => {
      const replies = await caughtReplies(kind, isStreaming);
      expect(replies).toHaveLength(REPLIES.length);
      fc.assert(
        fc.property(fc.constantFrom(...replies), fc.array(fc.integer({ min: 1, max: 400 })), (reply, sizes) => {
          const relay = recall.relay();
          let [at, passed] = [0, ""];
          for (const size of [...sizes, reply.length]) {
            passed += relay.push(reply.slice(at, at + size));
            at += size;
          }
          expect(relay.end()).toMatchObject({ calls: [], isOver: true });
          expect(passed + relay.close()).toBe(reply);
        }),
        PROPERTY_RUNS,
      );
    },
  );
});

test("a compressed reply is read, and what the client gets is whole", async () => {
  const usage = { input_tokens: 4_000, output_tokens: 2 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "claude-haiku-4-5", stop_sequence: null };
  const upstream = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const known = body.includes(HIDDEN_FACT);
    const call = { type: "tool_use", id: "toolu_1", name: "recall", input: { query: "seal number of pump 17" } };
    const content = known ? [{ type: "text", text: `It is ${HIDDEN_FACT}.` }] : [call];
    const reply = JSON.stringify({ ...message, content, stop_reason: known ? "end_turn" : "tool_use", usage });
    const head = { "content-type": "application/json", "content-encoding": "gzip" };
    response.writeHead(200, head).end(gzipSync(reply));
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void upstream.close());
  const url = `http://127.0.0.1:${portOf(upstream.address())}`;
  const { gateway, incidents } = await startGatewayBefore({ url }, { ...RECALLING, windows: { all: 8_000 } });
  const client = new Anthropic({ baseURL: gateway.url, apiKey: "key", maxRetries: 0 });
  const reply = await client.messages.create({
    model: "claude-haiku-4-5",
    max_tokens: 500,
    tools: [{ name: "read_file", input_schema: { type: "object" } }],
    messages: [...toAnthropic(talkWithFact()).messages],
  });
  expect(reply.content).toEqual([{ type: "text", text: `It is ${HIDDEN_FACT}.` }]);
  expect(reply.usage).toMatchObject({ input_tokens: 8_000, output_tokens: 4 });
  expect(incidents).toEqual([]);
});
