import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import {
  closeAll,
  sendRaw,
  startProxy,
  startSocketServer,
  startUpstream,
  waitFor,
  watchedTurns,
} from "../../../test/support/loopback.ts";
import { PalimpsestError } from "../../core/errors.ts";

afterEach(closeAll);

const TOKEN = "a-token-of-32-characters-0123456";

const echoTarget = () => startUpstream((response, { target }) => response.end(`upstream ${target}`));
const textOf = async (reply: Promise<Response>) => (await reply).text();

describe("what is answered here", () => {
  test("is the API, and a greeting; everything else goes upstream", async () => {
    const upstream = await echoTarget();
    const { url } = await startProxy(upstream.url);
    expect(await textOf(fetch(`${url}/palimpsest/api/sessions?a=1`))).toBe("api /palimpsest/api/sessions?a=1");
    expect(await textOf(fetch(`${url}/palimpsest`))).toBe("api /palimpsest");
    expect(await (await fetch(url)).json()).toEqual({
      name: "palimpsest",
      dashboard: "/palimpsest/",
      api: "/palimpsest/api",
    });
    expect(await textOf(fetch(`${url}/palimpsests`))).toBe("upstream /palimpsests");
    const probe = await fetch(url, { method: "HEAD", headers: { "anthropic-version": "2023-06-01" } });
    expect(probe.status).toBe(200);
    expect(upstream.requests).toHaveLength(1);
  });

  test("is a clean refusal where a client wants a WebSocket", async () => {
    const upstream = await echoTarget();
    const { port } = await startProxy(upstream.url);
    const head = `GET /v1/realtime HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
    const answer = await sendRaw(
      port,
      `${head}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 501 Not Implemented\r\n/);
    expect(answer).toContain('"code":"upgrade-unsupported"');
    expect(upstream.requests).toEqual([]);
  });

  test("is a request like any other where a client offers HTTP/2", async () => {
    const upstream = await echoTarget();
    const { port } = await startProxy(upstream.url);
    const head = `GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
    const offer =
      "Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n";
    expect(await sendRaw(port, head + offer)).toContain("upstream /v1/models");
    expect(upstream.requests[0]?.headers["http2-settings"]).toBeUndefined();
  });

  test("survives an API that throws", async () => {
    const upstream = await echoTarget();
    const api = () => {
      throw new Error("broken");
    };
    const { url, incidents } = await startProxy(upstream.url, { api });
    expect((await fetch(`${url}/palimpsest/api`)).status).toBe(500);
    expect(incidents).toHaveLength(1);
  });
});

describe("who may come in", () => {
  test("hosts other than loopback are not bound without a token", async () => {
    await expect(startProxy("http://127.0.0.1:1", { host: "0.0.0.0" })).rejects.toBeInstanceOf(PalimpsestError);
    await expect(startProxy("http://127.0.0.1:1", { host: "0.0.0.0" })).rejects.toMatchObject({
      code: "invalid-configuration",
    });
  });

  test("a port that is taken is said so", async () => {
    const upstream = await echoTarget();
    await expect(startProxy(upstream.url, { port: upstream.port })).rejects.toMatchObject({
      code: "address-in-use",
      message: expect.stringContaining(`cannot listen on 127.0.0.1:${upstream.port}`),
    });
  });

  test.each([
    ["Host: evil.example", 403],
    ["Host: 127.0.0.1:PORT\r\nOrigin: https://evil.example", 403],
    ["Host: 127.0.0.1:PORT\r\nSec-Fetch-Site: cross-site", 403],
  ])("is decided before anything reaches the API or the upstream: %s", async (headers, status) => {
    const upstream = await echoTarget();
    let asked = 0;
    const { port } = await startProxy(upstream.url, { api: () => (asked += 1) });
    for (const request of [
      "GET /v1/models",
      "OPTIONS /v1/messages",
      "GET /palimpsest/api",
      "GET http://evil.example/v1",
    ]) {
      const answer = await sendRaw(port, `${request} HTTP/1.1\r\n${headers.replace("PORT", `${port}`)}\r\n\r\n`);
      expect(answer).toContain(`HTTP/1.1 ${status}`);
      expect(answer.toLowerCase()).not.toContain("access-control");
    }
    expect([upstream.requests.length, asked]).toEqual([0, 0]);
  });

  test("no target chooses the upstream", async () => {
    const upstream = await echoTarget();
    const { port } = await startProxy(`${upstream.url}/base`);
    const ask = (target: string) =>
      sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
    expect(await ask("/v1/../../x")).toContain("upstream /base/../../x");
    expect(await ask("//evil.example/x")).toContain("upstream /base//evil.example/x");
    expect(await ask("/@evil.example:80/x")).toContain("upstream /base/@evil.example:80/x");
    expect(await ask(`http://127.0.0.1:${port}/v1/x`)).toContain("upstream /base/x");
    expect(await ask("http://evil.example/v1/x")).toContain("403");
    expect(await ask("*")).toContain("400");
    expect(upstream.requests.every(({ headers }) => headers.host === `127.0.0.1:${upstream.port}`)).toBe(true);
  });

  test("a token is asked of everyone, and never goes on", async () => {
    const upstream = await echoTarget();
    const { url } = await startProxy(upstream.url, { token: TOKEN });
    expect((await fetch(`${url}/v1/models`)).status).toBe(401);
    expect((await fetch(`${url}/palimpsest/api`)).status).toBe(401);
    expect((await fetch(url)).status).toBe(401);
    const key = { authorization: "Bearer provider-key" };
    await fetch(`${url}/v1/models`, { headers: { ...key, "x-palimpsest-token": TOKEN } });
    expect(await textOf(fetch(`${url}/palimpsest-token/${TOKEN}/v1/models?a=1`, { headers: key }))).toBe(
      "upstream /v1/models?a=1",
    );
    expect(await textOf(fetch(`${url}/palimpsest-token/${TOKEN}/palimpsest/api`))).toBe("api /palimpsest/api");
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([
      key.authorization,
      key.authorization,
    ]);
    expect(JSON.stringify(upstream.requests)).not.toContain(TOKEN);
  });
});

describe("limits", () => {
  const TOO_LARGE = { error: { type: "palimpsest_error", code: "request-too-large" } };

  test("a body that says it is too large is refused before it is read", async () => {
    const upstream = await echoTarget();
    const { url } = await startProxy(upstream.url, { limits: { maxBodyBytes: 1_000 } });
    const asking = httpRequest(`${url}/v1/messages`, {
      method: "POST",
      headers: { "content-length": "5000000", expect: "100-continue" },
    });
    asking.flushHeaders();
    asking.on("error", () => {});
    const [reply] = await once(asking, "response");
    expect(reply.statusCode).toBe(413);
    const { error } = JSON.parse(Buffer.concat(await reply.toArray()).toString());
    expect(error).toMatchObject(TOO_LARGE.error);
    expect(error.message).toContain("Raise its limit maxBodyBytes");
    asking.destroy();
  });

  test("a client that sends too much at once still hears why", async () => {
    const upstream = await echoTarget();
    const { url } = await startProxy(upstream.url, { limits: { maxBodyBytes: 1_000 } });
    const reply = await fetch(`${url}/v1/messages`, { method: "POST", body: Buffer.alloc(8_000_000) });
    expect([reply.status, await reply.json()]).toMatchObject([413, TOO_LARGE]);
  });

  test("a body without a length is refused as soon as it is too large", async () => {
    const upstream = await echoTarget();
    const { port } = await startProxy(upstream.url, { limits: { maxBodyBytes: 1_000 } });
    const head = `POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const answer = await sendRaw(port, `${head}800\r\n${"x".repeat(2048)}\r\n0\r\n\r\n`);
    expect(answer).toContain("HTTP/1.1 413");
    expect(upstream.requests).toEqual([]);
  });

  test("a body of just the limit passes, and what no adapter reads has none", async () => {
    const upstream = await echoTarget();
    const { url } = await startProxy(upstream.url, { limits: { maxBodyBytes: 1_000 } });
    const post = (path: string, bytes: number) => fetch(url + path, { method: "POST", body: Buffer.alloc(bytes, "x") });
    expect((await post("/v1/messages", 1_000)).status).toBe(200);
    expect((await post("/v1/files", 50_000)).status).toBe(200);
  });

  test("a target that is too long is refused, and one of just the limit passes", async () => {
    const upstream = await echoTarget();
    const { port } = await startProxy(upstream.url, { limits: { maxTargetBytes: 8_192 } });
    const ask = (target: string) =>
      sendRaw(port, `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
    const refused = await ask(`/v${"0".repeat(60_000)}`);
    expect(refused).toMatch(/^HTTP\/1\.1 414 URI Too Long\r\n/);
    const { error } = JSON.parse(refused.slice(refused.indexOf("\r\n\r\n")));
    expect(error).toMatchObject({ type: "palimpsest_error", code: "target-too-long" });
    expect(error.message).toContain("60002 bytes");
    expect(error.message).toContain("maxTargetBytes");
    expect(await ask(`/${"x".repeat(8_192)}`)).toContain("HTTP/1.1 414");
    expect(upstream.requests).toEqual([]);
    expect(await ask(`/${"x".repeat(8_191)}`)).toContain("HTTP/1.1 200");
  });

  test("headers that are too large, and what is no HTTP, are refused", async () => {
    const upstream = await echoTarget();
    const { port } = await startProxy(upstream.url, { limits: { maxHeaderBytes: 8_192 } });
    const head = `GET /v1/models HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n`;
    expect(await sendRaw(port, `${head}X: ${"x".repeat(20_000)}\r\n\r\n`)).toContain("HTTP/1.1 431");
    expect(await sendRaw(port, "\u0016\u0003\u0001 hello\r\n\r\n")).toContain("HTTP/1.1 400");
    const both = "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    expect(await sendRaw(port, `POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${both}`)).toContain("400");
  });

  test.each([
    ["headers", "GET /v1/models HTTP/1.1\r\nHost: x\r\nX-Slow: "],
    ["a body", "POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 1000\r\n\r\n"],
  ])("a client that sends %s drop by drop is cut off", async (_, beginning) => {
    const upstream = await echoTarget();
    const limits = { headersTimeoutMs: 200, requestTimeoutMs: 400 };
    const { port } = await startProxy(upstream.url, { limits });
    const startedAt = performance.now();
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.resume();
    socket.write(beginning.replace("PORT", `${port}`));
    const drops = setInterval(() => socket.write("x"), 50);
    await once(socket, "close");
    clearInterval(drops);
    // Node's own limits would end it after a minute.
    expect(performance.now() - startedAt).toBeLessThan(50_000);
    expect(upstream.requests).toEqual([]);
  });
});

describe("connections", () => {
  test("are kept and used again: five hundred requests leave few behind, and none after the close", async () => {
    const upstream = await startUpstream((response) => response.end("x"));
    const proxy = await startProxy(upstream.url, { turns: watchedTurns() });
    for (let round = 0; round < 25; round += 1) {
      const replies = Array.from({ length: 20 }, () =>
        fetch(`${proxy.url}/v1/messages`, { method: "POST", body: "{}" }),
      );
      for (const reply of await Promise.all(replies)) await reply.text();
    }
    expect(upstream.requests).toHaveLength(500);
    expect(await upstream.openSockets()).toBeLessThanOrEqual(20);
    await proxy.close();
    await waitFor(async () => (await upstream.openSockets()) === 0);
  });

  test("that hang are ended by the close, and so are their turns", async () => {
    const upstream = await startUpstream((response, { target }) => {
      if (target === "/v1/messages") response.write("begun");
    });
    const turns = watchedTurns();
    const proxy = await startProxy(upstream.url, { turns });
    const silent = connect(proxy.port, "127.0.0.1");
    await once(silent, "connect");
    silent.on("error", () => {});
    const asking = ["/v1/messages", "/v1/responses", "/v1/files"].map((path) =>
      fetch(proxy.url + path, { method: "POST", body: "{}" }).then((reply) => reply.text()),
    );
    const settled = Promise.allSettled(asking);
    await waitFor(() => upstream.requests.length === 3);
    await proxy.close();
    expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    await waitFor(async () => turns.outcomes.length === 2 && (await upstream.openSockets()) === 0);
    expect(turns.outcomes.every(({ isComplete }) => !isComplete)).toBe(true);
  });

  test("under way have their time when the server is closed, and nobody else is let in", async () => {
    let finish = () => {};
    const upstream = await startUpstream((response) => {
      response.write("one ");
      finish = () => void response.end("two");
    });
    const proxy = await startProxy(upstream.url);
    const silent = connect(proxy.port, "127.0.0.1");
    silent.on("error", () => {});
    const reply = await fetch(`${proxy.url}/v1/messages`, { method: "POST", body: "{}" });
    // It ends with its last reply: all of its time would be an hour.
    const closing = proxy.close({ graceMs: 3_600_000 });
    await expect(fetch(`${proxy.url}/v1/models`)).rejects.toThrow();
    finish();
    expect(await reply.text()).toBe("one two");
    await closing;
  });

  test("that take longer than that are cut, or sooner where a second close says so", async () => {
    const upstream = await startUpstream((response) => response.write("begun"));
    const ask = async (url: string) => (await fetch(`${url}/v1/messages`, { method: "POST", body: "{}" })).text();
    for (const [graceMs, isClosedTwice] of [
      [100, false],
      [60_000, true],
    ] as const) {
      const proxy = await startProxy(upstream.url);
      const asked = upstream.requests.length;
      const reply = expect(ask(proxy.url)).rejects.toThrow();
      await waitFor(() => upstream.requests.length > asked);
      const closing = proxy.close({ graceMs });
      if (isClosedTwice) await proxy.close();
      await Promise.all([reply, closing]);
    }
  });

  test("that an upstream resets between requests are replaced", async () => {
    let count = 0;
    let reset = () => {};
    const upstream = await startSocketServer((socket) => {
      reset = () => void socket.resetAndDestroy();
      socket.once("data", () => {
        count += 1;
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      });
    });
    const { url } = await startProxy(upstream.url);
    for (let round = 0; round < 3; round += 1) {
      expect(await textOf(fetch(`${url}/v1/messages`, { method: "POST", body: "{}" }))).toBe("ok");
      reset();
      // The proxy has seen the reset when it has answered on another connection.
      await textOf(fetch(url));
    }
    expect(count).toBe(3);
  });
});
