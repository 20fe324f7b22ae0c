import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "../../../test/support/gateway-api.ts";
import { chat } from "../../../test/support/messages.ts";

const [OWN_REQUEST, OWN_RESPONSE] = [globalThis.Request, globalThis.Response];

let running: ApiUnderTest;
beforeAll(async () => {
  running = await startApi();
  await (await running.engine.session("a")).append(...chat(4));
});
afterAll(() => running.close());

test("an unknown address is answered with where all addresses are described", async () => {
  for (const path of ["", "/", "/api", "/api/nope", "/api/sessions/", "/api/sessions/a/log/b"]) {
    const { status, body } = await running.ask(path);
    expect([status, body.error.message]).toEqual([404, expect.stringContaining("/palimpsest/api/openapi.json")]);
  }
});

test.each([
  ["POST", "/api/health", "GET, HEAD"],
  ["PUT", "/api/sessions/a", "GET, HEAD, DELETE"],
  ["GET", "/api/sessions/a/restore", "POST"],
  ["DELETE", "/api/sessions/a/recall", "GET, HEAD, POST"],
  ["PATCH", "/metrics", "GET, HEAD"],
])("%s %s is refused with the methods that are known", async (method, path, allow) => {
  const response = await fetch(`${running.url}/palimpsest${path}`, { method });
  expect([response.status, response.headers.get("allow")]).toEqual([405, allow]);
});

test("HEAD answers with headers alone, also where GET would never end", async () => {
  for (const path of ["/api/health", "/metrics", "/api/events"]) {
    const response = await fetch(`${running.url}/palimpsest${path}`, { method: "HEAD" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
  }
  expect((await running.get("/stats")).body.eventStreams).toBe(0);
});

test("nothing may be cached or taken for something else", async () => {
  for (const path of ["/api/health", "/api/nope", "/metrics", "/api/openapi.json", "/api/sessions?limit=x"]) {
    const { headers } = await running.ask(path);
    expect([headers.get("cache-control"), headers.get("x-content-type-options")]).toEqual(["no-store", "nosniff"]);
  }
});

describe("what changes something", () => {
  test.each([undefined, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])(
    "is refused as %s, which another site's form could send",
    async (type) => {
      const headers = type === undefined ? undefined : { "content-type": type };
      const body = new TextEncoder().encode('{"toVersion":1}');
      for (const [method, path] of [
        ["POST", "/api/sessions/a/rewind"],
        ["POST", "/api/sessions/a/condense"],
        ["DELETE", "/api/sessions/a"],
      ] as const) {
        const { status } = await running.ask(path, { method, body, ...(headers && { headers }) });
        expect([path, status]).toEqual([path, 415]);
      }
      expect(await (await running.engine.session("a")).log()).toHaveLength(4);
    },
  );

  test.each([
    ["/restore", "{", "The body is not JSON"],
    [
      "/restore",
      "[]",
      'The body is an array; it must be an object with the fields of exactly one of these: "foldId"; or "from", "to".',
    ],
    [
      "/restore",
      "{}",
      'The body must be an object with the fields of exactly one of these: "foldId"; or "from", "to".',
    ],
    ["/restore", { foldId: 7 }, "foldId is 7; it must be a text"],
    ["/restore", { from: "m0" }, "to is missing; it must be a text"],
    ["/restore", { foldId: "x", from: "m0", to: "m1" }, "exactly one of these"],
    [
      "/restore",
      { foldID: "x" },
      'There is no field "foldID"; there is "foldId", "from", "to". Is it meant to be "foldId"?',
    ],
    ["/pin", "[]", 'The body is an array; it must be an object with "messageId", "important".'],
    ["/pin", "{}", "messageId is missing; it must be a text"],
    ["/pin", { messageID: "x" }, 'There is no field "messageID"; there is "messageId", "important". Is it meant to be'],
    ["/pin", '{"__proto__":{"messageId":"x"}}', 'There is no field "__proto__"'],
    ["/restore", '{"__proto__":{"foldId":"x"}}', 'There is no field "__proto__"'],
    ["/pin", { messageId: "m0", important: "yes" }, 'important is "yes"; it must be true or false.'],
    ["/rewind", {}, "exactly one of these"],
    ["/rewind", { toVersion: 1, undo: true }, "exactly one of these"],
    ["/rewind", { toVersion: 1.5 }, "toVersion is 1.5; it must be a whole number from 0"],
    ["/rewind", { undo: false }, "undo is false; it must be true."],
    ["/condense", { prompt: "x" }, 'There is no field "prompt"; none is taken. Leave it out.'],
    ["/recall", { q: "" }, 'q is ""; it must be a text of 1 to 10000 characters.'],
  ])("POST %s with %j is refused, with what to mend", async (path, body, message) => {
    const refused = await running.send("POST", `/sessions/a${path}`, body);
    expect([refused.status, refused.body.error]).toEqual([
      400,
      { code: "invalid-argument", message: expect.stringContaining(message) },
    ]);
  });

  test("is refused above 1 MB, also where the length is not told beforehand", async () => {
    const large = JSON.stringify({ foldId: "x".repeat(1_100_000) });
    const refused = await running.send("POST", "/sessions/a/restore", large);
    expect(refused).toMatchObject({
      status: 413,
      body: { error: { code: "too-large", message: expect.stringMatching(/larger than \d+ bytes/) } },
    });
    expect(await sendInChunks(`${running.url}/palimpsest/api/sessions/a/restore`, large)).toBe(413);
    const fits = JSON.stringify({ foldId: "x".repeat(1_000_000) });
    expect((await running.send("POST", "/sessions/a/restore", fits)).body.error.message).toContain("10000 characters");
  });

  test("is refused where the body is no text", async () => {
    const { status, body } = await running.ask("/api/sessions/a/restore", {
      method: "POST",
      headers: { "content-type": "application/json; charset=utf-8" },
      body: new Uint8Array([0x7b, 0xff, 0xfe]),
    });
    expect([status, body.error.message]).toEqual([400, "The body is not UTF-8."]);
  });
});

test.each([
  ["/sessions?limit=0", "limit is 0; it must be a whole number from 1 to 1000."],
  ["/sessions?limit=1e3", 'limit is "1e3"; it must be a whole number from 1 to 1000.'],
  ["/sessions?offset=-1", "offset is -1"],
  ["/sessions/a/log?after=x", 'after is "x"'],
  ["/sessions/a/recall", "q is missing"],
  ["/recall?q=", 'q is ""'],
  ["/recall?q=x&budget=0", "budget is 0; it must be a whole number from 1 to 1000000."],
  [`/sessions/${"x".repeat(600)}`, "512 characters"],
  ["/sessions/a%00b", "without NUL"],
])("GET %s is refused, with what to mend", async (path, message) => {
  const { status, body } = await running.get(path);
  expect([status, body.error.message]).toEqual([400, expect.stringContaining(message)]);
});

test("answers a Request without a server as well", async () => {
  const response = await running.api.fetch(new Request("http://gateway/palimpsest/api/health"));
  expect(await response.json()).toMatchObject({ status: "ok" });
});

test("the Request and Response of the process stay what they were", () => {
  expect([globalThis.Request === OWN_REQUEST, globalThis.Response === OWN_RESPONSE]).toEqual([true, true]);
});

function sendInChunks(url: string, body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "transfer-encoding": "chunked" };
    const sent = request(url, { method: "POST", headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject);
    for (let at = 0; at < body.length; at += 65_536) sent.write(body.slice(at, at + 65_536));
    sent.end();
  });
}
