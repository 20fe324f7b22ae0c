import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import {
  closeAll,
  sendAsIs,
  sendRaw,
  startProxy,
  startUpstream,
  watchedTurns,
} from "../../../test/support/loopback.ts";

afterEach(closeAll);

const ODD = '{ "a" :\t1.0e+2,\r\n "ü": "\\u00e9 é 🦄 \u2028",  "a": 2 }\n\n';

async function post(url: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
}

describe("bodies", () => {
  test.each(["/v1/messages", "/v1/files"])("of %s pass byte for byte both ways", async (path) => {
    const upstream = await startUpstream((response, { body }) => response.end(body));
    const proxy = await startProxy(upstream.url);
    const reply = await post(`${proxy.url}${path}`, ODD);
    expect(await reply.text()).toBe(ODD);
    expect(upstream.requests[0]?.body.equals(Buffer.from(ODD))).toBe(true);
  });

  test("of five megabytes pass, streamed ones too", async () => {
    const large = Buffer.from("🦄 \n".repeat(900_000));
    const upstream = await startUpstream((response, { body }) => response.end(body));
    const proxy = await startProxy(upstream.url, { turns: watchedTurns() });
    for (const path of ["/v1/responses", "/v1/files"]) {
      const reply = Buffer.from(await (await post(`${proxy.url}${path}`, large)).arrayBuffer());
      expect(reply.equals(large)).toBe(true);
    }
  });

  test("that are not text pass as they are, and no turn is made of them", async () => {
    const turns = watchedTurns();
    const upstream = await startUpstream((response) => response.end());
    const proxy = await startProxy(upstream.url, { turns });
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]);
    await post(`${proxy.url}/v1/messages`, bytes);
    expect(upstream.requests[0]?.body).toEqual(bytes);
    expect(turns.bodies).toEqual([]);
  });

  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ] as const)("that came as %s are read decoded and sent as they came", async (coding, compress) => {
    const turns = watchedTurns();
    const upstream = await startUpstream((response) => response.end());
    const proxy = await startProxy(upstream.url, { turns });
    await post(`${proxy.url}/v1/responses`, compress(ODD), { "content-encoding": coding });
    expect(turns.bodies).toEqual([ODD]);
    expect(upstream.requests[0]?.body.equals(compress(ODD))).toBe(true);
    expect(upstream.requests[0]?.headers["content-encoding"]).toBe(coding);
  });

  test.each(["gzip", "compress"])("that claim to be %s and are not pass untouched", async (coding) => {
    const turns = watchedTurns();
    const upstream = await startUpstream((response) => response.end());
    const proxy = await startProxy(upstream.url, { turns });
    await post(`${proxy.url}/v1/messages`, ODD, { "content-encoding": coding });
    expect(upstream.requests[0]?.body.toString()).toBe(ODD);
    expect(turns.bodies).toEqual([]);
  });
});

describe("headers", () => {
  test("and target reach the upstream verbatim, without those of the hop", async () => {
    const upstream = await startUpstream((response) => response.end());
    const proxy = await startProxy(`${upstream.url}/api/v1`);
    const headers = ["Host", `127.0.0.1:${proxy.port}`, "X-Api-Key", "sk-1", "X-Twice", "1", "x-twice", "2"];
    const hop = ["Connection", "X-Hop", "X-Hop", "1", "x-palimpsest-budget", "9", "Content-Length", "2"];
    await sendAsIs(`${proxy.url}/v1/../%2e/messages?beta=true&q=%20a+b`, [...headers, ...hop], "{}");
    const [seen] = upstream.requests;
    expect(seen?.target).toBe("/api/v1/../%2e/messages?beta=true&q=%20a+b");
    expect(seen?.rawHeaders).toEqual([
      ...["host", `127.0.0.1:${upstream.port}`, "connection", "keep-alive"],
      ...["X-Api-Key", "sk-1", "X-Twice", "1", "x-twice", "2", "content-length", "2"],
    ]);
  });

  test("and status come back verbatim, with the turn's", async () => {
    const upstream = await startUpstream((response) => {
      response.writeHead(429, "Slow Down", [
        "Retry-After",
        "7",
        "Set-Cookie",
        "a=1",
        "Set-Cookie",
        "b=2",
        "X-Name",
        "ü",
      ]);
      response.end("busy");
    });
    const turns = watchedTurns();
    const proxy = await startProxy(upstream.url, { turns });
    const reply = await sendAsIs(`${proxy.url}/v1/messages`, ["Host", `127.0.0.1:${proxy.port}`], "{}");
    expect([reply.statusCode, reply.statusMessage]).toEqual([429, "Slow Down"]);
    const raw = reply.rawHeaders.join("|");
    expect(raw).toContain("Retry-After|7|Set-Cookie|a=1|Set-Cookie|b=2");
    expect(raw).toContain("X-Name|ü");
    expect(raw).toContain("x-palimpsest-session|session-1");
    reply.resume();
    expect(await turns.nextOutcome()).toEqual({ status: 429, isComplete: true });
  });

  test("of redirects are passed on, not followed", async () => {
    const upstream = await startUpstream((response) =>
      response.writeHead(307, { location: "http://127.0.0.1:1/" }).end(),
    );
    const proxy = await startProxy(upstream.url);
    const reply = await fetch(`${proxy.url}/v1/models`, { redirect: "manual" });
    expect([reply.status, reply.headers.get("location")]).toEqual([307, "http://127.0.0.1:1/"]);
    expect(upstream.requests).toHaveLength(1);
  });

  test("of compressed replies stay, and the bytes too", async () => {
    const upstream = await startUpstream((response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(ODD));
    });
    const turns = watchedTurns();
    const proxy = await startProxy(upstream.url, { turns });
    const reply = await sendAsIs(`${proxy.url}/v1/messages`, ["Host", `127.0.0.1:${proxy.port}`], "{}");
    expect(reply.headers["content-encoding"]).toBe("gzip");
    expect(Buffer.concat(await reply.toArray()).equals(gzipSync(ODD))).toBe(true);
    await turns.nextOutcome();
    expect(turns.told.join("")).toBe(ODD);
  });
});

describe("framing", () => {
  test("of chunked requests is read, and theirs is sent on", async () => {
    const upstream = await startUpstream((response, { body }) => response.end(body));
    const proxy = await startProxy(upstream.url);
    for (const path of ["/v1/messages", "/v1/files"]) {
      const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${proxy.port}\r\nConnection: close\r\n`;
      const answer = await sendRaw(
        proxy.port,
        `${head}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n`,
      );
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(answer).toContain("abcde");
    }
  });

  test("of HEAD, 204 and 304 has no body", async () => {
    const upstream = await startUpstream((response, { method, target }) => {
      response.writeHead(method === "HEAD" ? 200 : Number(target.slice(1)), { "x-seen": method }).end();
    });
    const proxy = await startProxy(upstream.url);
    expect((await fetch(`${proxy.url}/v1/models`, { method: "HEAD" })).headers.get("x-seen")).toBe("HEAD");
    for (const status of [204, 304]) expect((await fetch(`${proxy.url}/${status}`)).status).toBe(status);
  });

  test("of Expect: 100-continue asks for the body before it is sent", async () => {
    const upstream = await startUpstream((response, { body }) => response.end(body));
    const proxy = await startProxy(upstream.url);
    for (const path of ["/v1/messages", "/v1/files"]) {
      const asking = httpRequest(`${proxy.url}${path}`, { method: "POST", headers: { expect: "100-continue" } });
      asking.flushHeaders();
      await once(asking, "continue");
      asking.end("{}");
      const [reply] = await once(asking, "response");
      expect(Buffer.concat(await reply.toArray()).toString()).toBe("{}");
    }
    expect(upstream.requests[0]?.headers.expect).toBeUndefined();
  });
});
