/** Streams that open long before they speak or fail, as a real client sees them through the gateway. */
import { describe, expect, test } from "vitest";
import type { ScriptedReply } from "../../src/testing/index.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { findFacts, finish, SDK_KINDS, sessionIds, work } from "../support/gateway-sessions.ts";
import { type GatewayWorld, startWorld } from "../support/gateway-world.ts";
import type { KnownWire } from "../support/known-wires.ts";

/** Far longer than anything of ours takes, so that only waiting for the upstream can be what waits. */
const OPENS_FOR_MS = 1_500;

/** How each provider says that a prompt is too long. */
function tooLong(api: KnownWire, promptTokens: number): ScriptedReply {
  const limit = Math.floor(promptTokens * 0.6);
  const messages: Readonly<Record<KnownWire, string>> = {
    anthropic: `prompt is too long: ${promptTokens} tokens > ${limit} maximum`,
    "openai-chat": `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${promptTokens} tokens.`,
    "openai-responses": "Your input exceeds the context window of this model. Please adjust your input and try again.",
    gemini: `The input token count (${promptTokens}) exceeds the maximum number of tokens allowed (${limit}).`,
  };
  const code = "context_length_exceeded";
  return { type: "late-error", status: 400, message: messages[api], code, opensForMs: OPENS_FOR_MS };
}

const newest = ({ server }: GatewayWorld) => server.requests.at(-1);

describe.each(SDK_KINDS)("$name", ({ open, api }) => {
  test("a refusal that comes late in a stream is folded for, and the agent gets one good reply", async () => {
    const world = await startWorld();
    const client = open({ url: world.url });
    client.say("Read all files.");
    const outputs = await work(client, { name: "late", turns: 10, isStreaming: () => true });
    const before = newest(world)?.promptTokens ?? 0;
    world.server.script(tooLong(api, before), { type: "text", text: "Here I am." });
    expect((await client.ask(true)).text).toBe("Here I am.");
    const [refused, taken] = world.server.requests.slice(-2);
    expect([refused?.outcome, taken?.outcome]).toEqual(["fault", "answered"]);
    expect(taken?.promptTokens).toBeLessThan((refused?.promptTokens ?? 0) * 0.8);
    const { status, reply, replyHeaders } = world.sent.at(-1) ?? {};
    expect(status).toBe(200);
    expect(reply).not.toMatch(/exceeds|too long|maximum context/);
    expect(Number(replyHeaders?.["x-palimpsest-folds"])).toBeGreaterThan(0);
    client.say("Go on.");
    expect(await finish(client, world)).toBe("All is read.");
    expect(invalidRequests(world.server)).toEqual([]);
    expect(world.incidents).toEqual([]);
    const [id = ""] = sessionIds(world);
    expect((await findFacts(world, { id, name: "late", outputs })).lost).toEqual([]);
  });

  test("a stream that takes its time before it speaks arrives whole", async () => {
    const world = await startWorld();
    const client = open({ url: world.url });
    client.say("Take your time.");
    world.server.script({ type: "text", text: "I took my time.", opensForMs: OPENS_FOR_MS });
    expect((await client.ask(true)).text).toBe("I took my time.");
    expect(world.server.requests).toHaveLength(1);
    expect(world.incidents).toEqual([]);
  });

  test("what a stream says is not held back: it arrives while the upstream is silent again", async () => {
    const world = await startWorld();
    const client = open({ url: world.url });
    client.say("Begin, and stop.");
    world.server.script({ type: "hang-mid-stream", text: "I have begun.", opensForMs: 300 });
    const enough = new AbortController();
    const asked = client.ask(true, enough.signal).catch(() => "aborted");
    await expect.poll(() => world.sent[0]?.reply).toMatch(/begun/);
    enough.abort();
    expect(await asked).toBe("aborted");
  });
});

test("a list of JSON, which Gemini streams where no events are asked for, is held back too", async () => {
  const world = await startWorld();
  const client = SDK_KINDS.find(({ api }) => api === "gemini")?.open({ url: world.url });
  client?.say("Read all files.");
  if (client !== undefined) await work(client, { name: "list", turns: 10 });
  const { path = "", body = "", headers = {} } = world.sent.at(-1) ?? {};
  world.server.script(tooLong("gemini", newest(world)?.promptTokens ?? 0), { type: "text", text: "Here I am." });
  const reply = await fetch(world.url() + path.replace(/:\w+(\?.*)?$/, ":streamGenerateContent"), {
    method: "POST",
    body,
    headers: { "content-type": "application/json", "x-goog-api-key": String(headers["x-goog-api-key"]) },
  });
  const pieces: readonly { readonly error?: unknown }[] = JSON.parse(await reply.text());
  expect(pieces.filter(({ error }) => error !== undefined)).toEqual([]);
  expect(JSON.stringify(pieces)).toContain("Here");
  expect(world.server.requests.slice(-2).map(({ outcome }) => outcome)).toEqual(["fault", "answered"]);
});
