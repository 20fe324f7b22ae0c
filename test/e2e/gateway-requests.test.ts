/** Every request that was answered can be shown as it was: the same bytes as went upstream, on each wire, also after a restart. */
import { describe, expect, test } from "vitest";
import { isFull } from "../chaos/chaos-size.ts";
import { anthropicKind } from "../support/gateway-anthropic-client.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { listSessions, SDK_KINDS, work } from "../support/gateway-sessions.ts";
import { startGatewayBefore, startServer } from "../support/gateway-world.ts";
import { QUESTION } from "../support/hidden-fact.ts";
import { answerFromPrompt, RECALL_WINDOW, RECALLING, recallCall, talkUntilHidden } from "../support/recall-talk.ts";
import { allRequestBodies, compareRequests, listRequests, requestBody } from "../support/request-bodies.ts";
import { sqlitePlace } from "../support/stores.ts";

const WINDOW = 14_000;
const SECRET = "sk-never-to-be-kept";

const KINDS = SDK_KINDS.filter((_, index) => isFull || index % 2 === 0);

describe.each(KINDS)("$name", ({ open }) => {
  test("a session that is folded, restored, rewound and restarted is reproduced byte for byte", async () => {
    const place = sqlitePlace();
    const server = await startServer({ contextWindow: WINDOW });
    const options = { windows: { all: WINDOW } };
    const first = await startGatewayBefore(server, { ...options, store: place.open() });
    let { url } = first.gateway;
    const client = open({ url: () => url, headers: { "x-of-mine": SECRET } });
    client.say("Read all files: 你好, “quoted” \\ and \u2028 too.");
    let outputs = await work(client, { name: "kept", turns: 10 });
    const before = client.history.length;
    await work(client, { name: "taken back", turns: 4 });
    // The agent goes back: its session is rewound, or goes on in a branch.
    client.history.length = before;
    outputs = await work(client, { name: "kept", turns: 14, outputsBefore: outputs });
    const [id = ""] = await listSessions(url);
    const session = await first.gateway.engine.session(id);
    const [fold] = await session.folds();
    expect(fold).toBeDefined();
    await session.restore(fold?.foldId ?? "");
    await work(client, { name: "kept", turns: 3, outputsBefore: outputs });
    await first.gateway.close();

    const second = await startGatewayBefore(server, { ...options, store: place.open() });
    ({ url } = second.gateway);
    await work(client, { name: "again", turns: 6 });
    expect(invalidRequests(server)).toEqual([]);
    const upstream = server.requests.filter(({ outcome }) => outcome === "answered").map(({ rawBody }) => rawBody);
    expect(upstream).toHaveLength(37);
    const ids = await listSessions(url);
    const shown = await allRequestBodies(url, ids);
    // What the agent goes back to is the same bytes as before.
    const places = shown.map((body, index) => (body === upstream[index] ? index : upstream.indexOf(body)));
    expect(places).toEqual(upstream.map((_, index) => index));
    const requests = await listRequests(url, id);
    const folded = requests.filter(({ index, foldIds }) => index > 0 && foldIds.length > 0);
    expect(folded.length).toBeGreaterThan(0);
    for (const { index, shownFoldIds } of folded) {
      const diff = await compareRequests(url, id, index - 1, index);
      expect(diff, `request ${index}`).toMatchObject({
        cause: "us",
        first: { where: "message", item: expect.any(Number) },
      });
      expect(shownFoldIds).toContain(diff.foldId);
    }
    const plain = requests.find(({ index, shownFoldIds }) => index > 0 && shownFoldIds.length === 0);
    expect(await compareRequests(url, id, (plain?.index ?? 1) - 1, plain?.index ?? 1)).toMatchObject({ cause: "none" });
    const kept = JSON.stringify(await place.open().read((await place.open().open(id)).key));
    expect(kept.includes(SECRET)).toBe(false);
    expect([...first.incidents, ...second.incidents]).toEqual([]);
  });
});

test.each(SDK_KINDS)("each round of the recall tool of $name is a request of its own", async ({ open }) => {
  const server = await startServer({ contextWindow: RECALL_WINDOW, reply: answerFromPrompt });
  const { gateway, incidents } = await startGatewayBefore(server, RECALLING);
  const client = open({ url: () => gateway.url });
  await talkUntilHidden(client, server);
  client.say(QUESTION);
  server.script({ type: "tool-calls", text: "Let me look that up.", calls: [recallCall()] });
  await client.ask(true);
  const upstream = server.requests.map(({ rawBody }) => rawBody);
  const shown = await allRequestBodies(gateway.url, await listSessions(gateway.url));
  expect(shown.map((body) => upstream.indexOf(body))).toEqual(upstream.map((_, index) => index));
  expect(incidents).toEqual([]);
});

test("part of a body is read by its bytes, and its size is told", async () => {
  const server = await startServer({ contextWindow: WINDOW });
  const { gateway } = await startGatewayBefore(server, { windows: { all: WINDOW } });
  const [kind] = SDK_KINDS;
  const client = kind?.open({ url: () => gateway.url });
  client?.say("你好");
  await client?.ask(true);
  const [id = ""] = await listSessions(gateway.url);
  const sent = Buffer.from(server.requests[0]?.rawBody ?? "");
  const whole = await fetch(`${gateway.url}/palimpsest/api/sessions/${encodeURIComponent(id)}/requests/0/body`);
  expect(whole.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(whole.headers.get("x-palimpsest-bytes")).toBe(String(sent.length));
  expect(whole.headers.get("x-palimpsest-wire")).toBe("anthropic");
  expect(await requestBody(gateway.url, id, 0, "?from=3&bytes=9")).toBe(sent.subarray(3, 12).toString());
  expect(await requestBody(gateway.url, id, 0, `?from=${sent.length}`)).toBe("");
});

test("what was never kept says why", async () => {
  const server = await startServer();
  const { gateway } = await startGatewayBefore(server);
  const session = await gateway.engine.session("library");
  await session.append({ role: "user", content: "Hello." });
  await session.recordRequest({ usage: { inputTokens: 10 } });
  const [request] = await listRequests(gateway.url, "library");
  expect(request?.body).toEqual({ isKept: false, reason: expect.stringContaining("is not kept") });
  await expect(requestBody(gateway.url, "library", 0)).rejects.toThrow(/404.*is not kept/);
  await expect(requestBody(gateway.url, "library", 7)).rejects.toThrow(/404.*no request/);
});

test("with keepRequests off, requests are recorded without their bodies, and the API says why none is there", async () => {
  const place = sqlitePlace();
  const server = await startServer();
  const { gateway } = await startGatewayBefore(server, { store: place.open(), keepRequests: "off" });
  const client = anthropicKind.open({ url: () => gateway.url });
  client.say("Read all files.");
  await work(client, { name: "unkept", turns: 3 });
  const [id = ""] = await listSessions(gateway.url);
  const requests = await listRequests(gateway.url, id);
  expect(requests).toHaveLength(3);
  for (const { body, usage } of requests) {
    expect(body).toMatchObject({ isKept: false, reason: expect.stringContaining("--keep-requests off") });
    expect(usage?.inputTokens).toBeGreaterThan(0);
  }
  const asked = await fetch(`${gateway.url}/palimpsest/api/sessions/${encodeURIComponent(id)}/requests/0/body`);
  expect(asked.status).toBe(404);
  await gateway.close();
  const store = place.open();
  const records = (await store.read((await store.open(id)).key)).map(({ body }) => body).join("\n");
  expect(records).toContain('"type":"request"');
  expect(records).not.toContain('"root":');
});
