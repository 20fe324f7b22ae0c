/** Agents that ask for longer replies than the upstream's window has room for. */
import { expect, test } from "vitest";
import { anthropicKind } from "../support/gateway-anthropic-client.ts";
import { chatKind } from "../support/gateway-chat-client.ts";
import { invalidRequests, tooLongRequests } from "../support/gateway-script.ts";
import { findFacts, finish, sessionIds, work } from "../support/gateway-sessions.ts";
import { startWorld } from "../support/gateway-world.ts";

const WINDOW = 24_000;
const TURNS = 30;

test.each([
  { asked: 128_000, isTold: false },
  { asked: 128_000, isTold: true },
  { asked: 20_000, isTold: false },
])(
  "a reply of $asked tokens is asked for in a window of 24k (told: $isTold): it gets a shorter one, and goes on",
  async ({ asked, isTold }) => {
    const gateway = isTold ? { windows: { all: WINDOW } } : {};
    const world = await startWorld({ server: { contextWindow: WINDOW }, gateway });
    const client = chatKind.open({ url: world.url, fields: { max_completion_tokens: asked } });
    client.say("Read all files.");
    const outputs = await work(client, { name: "wordy", turns: TURNS });
    expect(await finish(client, world)).toBe("All is read.");
    expect(world.sent.map(({ status }) => status)).toEqual(Array.from({ length: TURNS + 1 }, () => 200));
    expect(invalidRequests(world.server)).toEqual([]);
    // The one that taught it.
    expect(tooLongRequests(world.server)).toHaveLength(1);
    expect(world.incidents).toEqual([]);
    expect(world.server.requests.at(-1)?.rawBody).toContain('"max_completion_tokens":59');
    expect(world.sent.at(-1)?.replyHeaders["x-palimpsest-reply-limit"]).toMatch(/^59\d\d$/);
    const [id = ""] = sessionIds(world);
    expect((await findFacts(world, { id, name: "wordy", outputs })).lost).toEqual([]);
  },
);

test("what fits beside the prompt is asked for as it came", async () => {
  const world = await startWorld({ server: { contextWindow: WINDOW } });
  const client = chatKind.open({ url: world.url, fields: { max_completion_tokens: 9_000 } });
  client.say("Read all files.");
  await work(client, { name: "modest", turns: TURNS });
  expect(world.sent.map(({ status }) => status)).toEqual(Array.from({ length: TURNS }, () => 200));
  expect(world.server.requests.every(({ rawBody }) => rawBody.includes('"max_completion_tokens":9000'))).toBe(true);
});

test("Anthropic's window counts the prompt alone: nothing is changed", async () => {
  const world = await startWorld({ server: { contextWindow: WINDOW }, gateway: { windows: { all: WINDOW } } });
  const client = anthropicKind.open({ url: world.url, fields: { max_tokens: 64_000 } });
  client.say("Read all files.");
  await work(client, { name: "silent", turns: TURNS, isStreaming: () => true });
  expect(world.server.requests.every(({ rawBody }) => rawBody.includes('"max_tokens":64000'))).toBe(true);
});
