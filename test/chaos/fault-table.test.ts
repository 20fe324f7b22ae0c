/** The table of docs/guides/gateway.md: what is injected, what the agent sees of it, and what the gateway adds to the request. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, onTestFinished, test } from "vitest";
import { anthropicAdapter } from "../../src/adapters/anthropic/index.ts";
import type { WireAdapter } from "../../src/core/ports/wire-adapter.ts";
import type { Store } from "../../src/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import type { ScriptedReply } from "../../src/testing/index.ts";
import { openAnthropic } from "../support/gateway-anthropic-client.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { work } from "../support/gateway-sessions.ts";
import { asking, gatewayTurns, steps } from "../support/gateway-turns.ts";
import { COMPARED_WINDOW } from "../support/gateway-undisturbed.ts";
import { type GatewayWorld, startGatewayBefore, startWorld } from "../support/gateway-world.ts";
import { interceptStore } from "../support/intercepted-store.ts";
import { closeAll, startProxy, startUpstream, until } from "../support/loopback.ts";
import { canMount, smallDisk, temporaryFolder } from "../support/temporary-folder.ts";
import { tellLines } from "./chaos-size.ts";

const rows: string[] = [];

afterEach(closeAll);
afterAll(() => tellLines(["| injected | the agent sees | added before it is sent |", "| --- | --- | --- |", ...rows]));

function addRow(injected: string, seen: string, addedMs: number): void {
  const added = addedMs >= 1_000 ? `${(addedMs / 1_000).toFixed(1)} s` : `${Math.max(1, Math.round(addedMs))} ms`;
  rows.push(`| ${injected} | ${seen} | ${added} |`);
}

const WINDOW = COMPARED_WINDOW;
const BEFORE = 4;
/** So many that the prompt outgrows the window. */
const TURNS = 16;

/** A gateway on the store, with a session in it that is about to need folds. */
async function startSession(store: Store) {
  // What a gateway waits for its store by default: the table says what that adds.
  const limits = { storeTimeoutMs: 5_000 };
  const gateway = { store, windows: { all: WINDOW }, limits };
  const world = await startWorld({ server: { contextWindow: WINDOW }, gateway });
  const client = openAnthropic({ url: world.url });
  client.say("Read all files.");
  await work(client, { name: "fault", turns: BEFORE });
  return { world, client };
}

/** What we added to the requests from one on, and whether all of them were answered, and folded where need be. */
function outcomeFrom({ turns, server, sent }: GatewayWorld, from: number) {
  expect(invalidRequests(server)).toEqual([]);
  expect(sent.every(({ status }) => status === 200)).toBe(true);
  expect(turns.at(-1)?.tokensSent).toBeLessThan(WINDOW);
  expect(turns.at(-1)?.tokensIn).toBeGreaterThan(WINDOW);
  expect(server.requests.every(({ refusal }) => refusal === undefined)).toBe(true);
  return turns.slice(from).map(({ addedMs }) => addedMs);
}

describe("the store", () => {
  test("hangs", async () => {
    let isStuck = false;
    const waiting: (() => void)[] = [];
    const before = () => (isStuck ? new Promise<void>((resolve) => waiting.push(resolve)) : undefined);
    const { world, client } = await startSession(interceptStore(memoryStore(), { before }));
    isStuck = true;
    await work(client, { name: "fault", turns: TURNS, outputsBefore: BEFORE });
    isStuck = false;
    for (const answer of waiting) answer();
    const [first = 0, ...later] = outcomeFrom(world, BEFORE);
    addRow("the store hangs: the first request", "its reply; folded where need be", first);
    addRow("the store hangs: every later request, at most", "its reply; folded where need be", Math.max(...later));
  });

  test("fails at every call", async () => {
    let isBroken = false;
    const before = () => {
      if (isBroken) throw new Error("The server refuses connections.");
    };
    const { world, client } = await startSession(interceptStore(memoryStore(), { before }));
    isBroken = true;
    await work(client, { name: "fault", turns: TURNS, outputsBefore: BEFORE });
    const added = outcomeFrom(world, BEFORE);
    addRow("the store fails at every call, at most", "its reply; folded where need be", Math.max(...added));
  });

  test.skipIf(!canMount)("is on a disk that is full", async () => {
    const { folder } = smallDisk(4_000);
    const store = sqliteStore({ path: join(folder, "sessions.db") });
    onTestFinished(() => store.close());
    const { world, client } = await startSession(store);
    const ballast = join(folder, "ballast");
    expect(() => writeFileSync(ballast, Buffer.alloc(8_000_000))).toThrow("ENOSPC");
    await work(client, { name: "fault", turns: TURNS, outputsBefore: BEFORE });
    rmSync(ballast);
    const added = outcomeFrom(world, BEFORE);
    addRow("the store's disk is full, at most", "its reply; folded where need be", Math.max(...added));
  });

  test("is the same after the gateway was started again", async () => {
    const path = join(temporaryFolder(), "sessions.db");
    const open = () => {
      const store = sqliteStore({ path });
      onTestFinished(() => store.close());
      return store;
    };
    const { world, client } = await startSession(open());
    await work(client, { name: "fault", turns: TURNS, outputsBefore: BEFORE });
    await world.gateway.close();
    await expect(client.ask(false)).rejects.toThrow();
    const { gateway, turns } = await startGatewayBefore(world.server, { store: open(), windows: { all: WINDOW } });
    const again = openAnthropic({ url: () => gateway.url });
    // The step that was sent last.
    again.history.push(...client.history.slice(0, -2));
    const before = world.server.requests.at(-1)?.rawBody;
    await again.ask(false);
    expect(world.server.requests.at(-1)?.rawBody).toBe(before?.replace(',"stream":true', ""));
    addRow(
      "the gateway is restarted in the middle of a session",
      "a connection that fails, until it is back; then the same folds",
      turns.at(-1)?.addedMs ?? 0,
    );
  });
});

describe("our own code", () => {
  function fail(): never {
    throw new RangeError("A mistake of ours.");
  }

  /** One request that must be folded, with an adapter that makes a mistake. */
  async function askWith(adapter: Partial<WireAdapter>, isStreaming = false) {
    const world = gatewayTurns({ window: WINDOW, adapter });
    const reply = isStreaming ? 'event: message_start\ndata: {"type":"message_start"}\n\n' : '{"type":"message"}';
    const upstream = await startUpstream((response) => response.end(reply));
    const proxy = await startProxy(upstream.url, { turns: world.turns });
    const { body, path } = asking(steps("own", 80, { resultLength: 1_500 }), { more: { stream: isStreaming } });
    const answered = await fetch(`${proxy.url}${path}`, { method: "POST", body });
    expect(await answered.text()).toBe(reply);
    await until(() => world.activities.some(({ type }) => type === "request"));
    expect((upstream.requests[0]?.body.length ?? 0) * 2).toBeLessThan(body.length);
    const request = world.activities.find(({ type }) => type === "request");
    const incidents = world.incidents.length + proxy.incidents.length;
    const { addedMs = 0, tokensIn = 0 } = request?.type === "request" ? request : {};
    return { addedMs, tokensIn, incidents };
  }

  test("makes no mistake", async () => {
    // The first of a process is slower.
    await askWith({});
    const { addedMs, tokensIn, incidents } = await askWith({});
    expect(incidents).toBe(0);
    addRow(
      `nothing: the request of the next three rows, ${Math.round(tokensIn / 1_000)},000 tokens that are folded for the first time`,
      "its reply",
      addedMs,
    );
  });

  test("folding throws", async () => {
    const isSummarized = (parts: Parameters<WireAdapter["writeRequest"]>[1]) =>
      parts.some((part) => part.type === "stand-in" && part.message.isSummary === true);
    const { addedMs, incidents } = await askWith({
      writeRequest: (request, parts) => (isSummarized(parts) ? fail() : anthropicAdapter.writeRequest(request, parts)),
    });
    expect(incidents).toBeGreaterThan(0);
    addRow("folding throws", "its reply; truncated instead", addedMs);
  });

  test("following a reply throws", async () => {
    const { addedMs, incidents } = await askWith({
      followReply: () => ({ ...anthropicAdapter.followReply(), push: fail }),
    });
    expect(incidents).toBeGreaterThan(0);
    addRow("following the reply throws", "the reply, byte for byte", addedMs);
  });

  test("holding a reply throws", async () => {
    const { addedMs, incidents } = await askWith(
      { followReply: () => ({ ...anthropicAdapter.followReply(), stage: fail }) },
      true,
    );
    expect(incidents).toBeGreaterThan(0);
    addRow("holding the reply throws", "the reply, byte for byte", addedMs);
  });
});

describe("the upstream", () => {
  test.each<[string, ScriptedReply, string]>([
    ["answers 429", { type: "error", status: 429, retryAfterSeconds: 7 }, "the 429, with its retry-after"],
    ["answers 500", { type: "error", status: 500, message: "It broke." }, "the 500"],
    ["answers 529", { type: "error", status: 529, message: "Overloaded." }, "the 529"],
    ["cuts a stream", { type: "cut", text: "I will now" }, "what came of it, then the cut"],
  ])("%s", async (what, fault, seen) => {
    const { world, client } = await startSession(memoryStore());
    world.server.script(fault);
    await expect(client.ask(true)).rejects.toThrow();
    expect(world.sent.at(-1)?.status).toBe(fault.type === "error" ? fault.status : 200);
    expect(world.incidents).toEqual([]);
    addRow(`the upstream ${what}`, seen, world.turns.at(-1)?.addedMs ?? 0);
  });

  test("refuses a prompt as too long, late in a stream", async () => {
    const { world, client } = await startSession(memoryStore());
    const tokens = world.server.requests.at(-1)?.promptTokens ?? 0;
    const message = `prompt is too long: ${tokens} tokens > ${Math.floor(tokens * 0.6)} maximum`;
    world.server.script({ type: "late-error", status: 400, message, opensForMs: 50 }, { type: "text", text: "Here." });
    expect((await client.ask(true)).text).toBe("Here.");
    expect(world.turns.at(-1)).toMatchObject({ status: 200, retries: 1 });
    addRow(
      "the upstream refuses the prompt as too long, late in a stream",
      "one good reply: it is folded harder and sent again",
      world.turns.at(-1)?.addedMs ?? 0,
    );
  });
});
