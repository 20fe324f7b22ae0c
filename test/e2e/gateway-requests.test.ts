/** Every request that was answered can be shown as it was: the same bytes as went upstream, on each wire, also after a restart. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Store } from "../../src/core/ports/store.ts";
import { blobTools, decodeBlob } from "../../src/engine/session/requests/blobs.ts";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import { sized } from "../chaos/chaos-size.ts";
import { anthropicKind } from "../support/gateway-anthropic-client.ts";
import { API_KEY } from "../support/gateway-client.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { listSessions, SDK_KINDS, work } from "../support/gateway-sessions.ts";
import { startGatewayBefore, startServer } from "../support/gateway-world.ts";
import { QUESTION } from "../support/hidden-fact.ts";
import { answerFromPrompt, RECALL_WINDOW, RECALLING, recallCall, talkUntilHidden } from "../support/recall-talk.ts";
import { allRequestBodies, compareRequests, listRequests, requestBody } from "../support/request-bodies.ts";
import { sqlitePlace } from "../support/stores.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const WINDOW = 14_000;
/** How many turns each part of a session has. The short form still has folds, requests without one, a session that goes back, and a restart. */
const TURNS = sized({
  full: { kept: 10, takenBack: 4, folded: 14, restored: 3, restarted: 6 },
  short: { kept: 8, takenBack: 2, folded: 3, restored: 1, restarted: 2 },
});

describe.each(SDK_KINDS)("$name", ({ open }) => {
  test("a session that is folded, restored, rewound and restarted is reproduced byte for byte", async () => {
    const place = sqlitePlace();
    const server = await startServer({ contextWindow: WINDOW });
    const options = { windows: { all: WINDOW } };
    const first = await startGatewayBefore(server, { ...options, store: place.open() });
    let { url } = first.gateway;
    const client = open({ url: () => url });
    client.say("Read all files: 你好, “quoted” \\ and \u2028 too.");
    let outputs = await work(client, { name: "kept", turns: TURNS.kept });
    const before = client.history.length;
    await work(client, { name: "taken back", turns: TURNS.takenBack });
    // The agent goes back: its session is rewound, or goes on in a branch.
    client.history.length = before;
    outputs = await work(client, { name: "kept", turns: TURNS.folded, outputsBefore: outputs });
    const [id = ""] = await listSessions(url);
    const session = await first.gateway.engine.session(id);
    const [fold] = await session.folds();
    expect(fold).toBeDefined();
    await session.restore(fold?.foldId ?? "");
    await work(client, { name: "kept", turns: TURNS.restored, outputsBefore: outputs });
    await first.gateway.close();

    const second = await startGatewayBefore(server, { ...options, store: place.open() });
    ({ url } = second.gateway);
    await work(client, { name: "again", turns: TURNS.restarted });
    expect(invalidRequests(server)).toEqual([]);
    const upstream = server.requests.filter(({ outcome }) => outcome === "answered").map(({ rawBody }) => rawBody);
    expect(upstream).toHaveLength(Object.values(TURNS).reduce((sum, turns) => sum + turns));
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
    expect([...first.incidents, ...second.incidents]).toEqual([]);
  });
});

test("no file, record, blob or body that is kept holds an agent's key, another header of its requests, or the gateway's token", async () => {
  const secrets = { key: API_KEY, header: "of-mine-5f2c81d07b", token: "token-of-the-gateway-93ab6e" };
  const said = "Read all files for the audit.";
  const path = join(temporaryFolder(), "store.db");
  const server = await startServer({ contextWindow: WINDOW });
  const start = async () => {
    const store = sqliteStore({ path });
    onTestFinished(() => store.close());
    const options = { store, windows: { all: WINDOW }, token: secrets.token, keepRequests: "all" } as const;
    const { gateway, incidents } = await startGatewayBefore(server, options);
    // The gateway takes its token from the path and from a header: here it gets both.
    return { store, gateway, incidents, url: `${gateway.url}/palimpsest-token/${secrets.token}` };
  };
  let running = await start();
  const headers = { "x-of-mine": secrets.header, "x-palimpsest-token": secrets.token };
  const clients = SDK_KINDS.map(({ open }) => open({ url: () => running.url, headers }));
  for (const [index, client] of clients.entries()) {
    client.say(said);
    await work(client, { name: `secret${index}`, turns: 8 });
  }
  const unclosed = keptFiles(path);
  expect(unclosed.map(({ place }) => place)).toContain("file store.db-wal");
  await running.gateway.close();
  await running.store.close();
  expect(running.incidents).toEqual([]);

  running = await start();
  for (const [index, client] of clients.entries()) await work(client, { name: `again${index}`, turns: 2 });
  expect(invalidRequests(server)).toEqual([]);
  expect(server.requests).toHaveLength(SDK_KINDS.length * 10);
  for (const { headers } of server.requests) {
    const { authorization, "x-api-key": ofAnthropic, "x-goog-api-key": ofGemini, "x-of-mine": own } = headers;
    expect([`Bearer ${secrets.key}`, secrets.key]).toContain(authorization ?? ofAnthropic ?? ofGemini);
    expect(own).toBe(secrets.header);
  }
  expect((await fetch(`${running.gateway.url}/palimpsest/api/sessions`)).status).toBe(401);
  const ids = await listSessions(running.url);
  for (const id of ids) expect(await (await running.gateway.engine.session(id)).folds(), id).not.toEqual([]);
  // Bodies are kept in pieces: a key on the seam of two would be in neither.
  const bodies = (await allRequestBodies(running.url, ids)).map((body) => ({
    place: "body",
    bytes: Buffer.from(body),
  }));
  expect(bodies).toHaveLength(server.requests.length);
  const kept = [...unclosed, ...bodies, ...(await keptInStore(running.store, path))];
  await running.gateway.close();
  await running.store.close();
  kept.push(...keptFiles(path));

  const placesOf = (text: string) =>
    new Set(kept.filter(({ bytes }) => bytes.includes(text)).map(({ place }) => place));
  // What was said is found in all of these: what is not found is not there.
  expect([...placesOf(said)].toSorted()).toEqual(["blob", "body", "file store.db", "file store.db-wal", "record"]);
  for (const [name, secret] of Object.entries(secrets)) expect([...placesOf(secret)], name).toEqual([]);
  expect(running.incidents).toEqual([]);
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

interface KeptBytes {
  readonly place: string;
  readonly bytes: Buffer;
}

/** The database and all files beside it, as they are on the disk. */
function keptFiles(path: string): readonly KeptBytes[] {
  const folder = join(path, "..");
  return readdirSync(folder).map((name) => ({ place: `file ${name}`, bytes: readFileSync(join(folder, name)) }));
}

/** What the store gives for every session, with the contents of all blobs, also of those that no request names. */
async function keptInStore(store: Store, path: string): Promise<readonly KeptBytes[]> {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare("SELECT session_key AS key, name FROM blobs").all();
  database.close();
  const tools = blobTools();
  if (tools === undefined) throw new Error("Blobs cannot be read on this platform.");
  const kept: KeptBytes[] = [];
  const sessions = await store.list({ limit: 1_000 });
  for (const { key } of sessions) {
    const names = rows.filter((row) => row.key === key).map(({ name }) => String(name));
    for (const { name, bytes } of await store.readBlobs(key, names))
      kept.push({ place: "blob", bytes: Buffer.from(decodeBlob(name, bytes, tools)) });
    for (const { body } of await store.read(key)) kept.push({ place: "record", bytes: Buffer.from(body) });
  }
  expect(kept.filter(({ place }) => place === "blob")).toHaveLength(rows.length);
  return kept;
}
