import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { closeAll, listenOnLoopback, sendAsIs, startProxy, startUpstream } from "../../../test/support/loopback.ts";
import { selfSigned } from "../../../test/support/self-signed.ts";

const HOST = "upstream.example";
const certificate = selfSigned(HOST);
const trusted = getCACertificates("default");
beforeAll(() => setDefaultCACertificates([...trusted, certificate.cert]));
afterAll(() => setDefaultCACertificates(trusted));
afterEach(closeAll);

interface Target {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

/** A proxy of a network: whatever host it is asked for, it connects to this port of loopback. */
async function startNetworkProxy(port: number, refuse = 0) {
  const asked: Target[] = [];
  const server = createServer((request, response: ServerResponse) => {
    asked.push({ method: request.method ?? "", target: request.url ?? "", headers: request.headers });
    response.end(`proxied ${request.url}`);
  }).on("connect", (request, socket: Socket) => {
    asked.push({ method: "CONNECT", target: request.url ?? "", headers: request.headers });
    socket.on("error", () => {});
    if (refuse > 0) return socket.end(`HTTP/1.1 ${refuse} No\r\nContent-Length: 0\r\n\r\n`);
    const onwards = connect(port, "127.0.0.1", () => socket.write("HTTP/1.1 200 Connection established\r\n\r\n"));
    onwards.on("error", () => {}).on("close", () => socket.resetAndDestroy());
    socket.on("close", () => onwards.destroy());
    socket.pipe(onwards).pipe(socket);
  });
  return { ...(await listenOnLoopback(server)), asked };
}

/** Answers, but ends the connection at its n-th request instead. */
async function startTlsUpstream(endAt = Number.POSITIVE_INFINITY) {
  const counts = new Map<Socket, number>();
  const many: string[] = [];
  const server = createTlsServer(certificate, async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const count = (counts.get(request.socket) ?? 0) + 1;
    counts.set(request.socket, count);
    many.push(...request.rawHeaders.filter((_, place, all) => all[place - 1] === "x-many"));
    if (count >= endAt) request.socket.destroy();
    else response.end(`${request.headers.host} ${request.url} ${body}`);
  });
  return { ...(await listenOnLoopback(server)), counts, many };
}

const post = (url: string) => fetch(`${url}/v1/messages`, { method: "POST", body: "{}" });

test("an https upstream is asked through a tunnel, which is kept and used again", async () => {
  const upstream = await startTlsUpstream();
  const network = await startNetworkProxy(upstream.port);
  const environment = { HTTPS_PROXY: network.url.replace("http://", "http://me:secret@") };
  const { url } = await startProxy(`https://${HOST}`, { environment });
  for (let round = 0; round < 3; round += 1) {
    const reply = await post(url);
    expect([reply.status, await reply.text()]).toEqual([200, `${HOST} /v1/messages {}`]);
  }
  expect(network.asked.map(({ method, target }) => `${method} ${target}`)).toEqual([`CONNECT ${HOST}:443`]);
  const { authorization, ...headers } = network.asked[0]?.headers ?? {};
  expect(headers["proxy-authorization"]).toBe(`Basic ${Buffer.from("me:secret").toString("base64")}`);
  expect(authorization).toBeUndefined();
});

test("headers go through a tunnel as they came, those that come twice included", async () => {
  const upstream = await startTlsUpstream();
  const network = await startNetworkProxy(upstream.port);
  const { url, port } = await startProxy(`https://${HOST}`, { environment: { https_proxy: network.url } });
  const headers = ["host", `127.0.0.1:${port}`, "content-length", "2", "x-many", "a", "x-many", "b"];
  expect((await sendAsIs(`${url}/v1/messages`, headers, "{}")).statusCode).toBe(200);
  expect(upstream.many).toEqual(["a", "b"]);
});

test("a tunnel that the upstream ends when the next request is on its way is replaced; a new one is not", async () => {
  for (const [endAt, status, connections] of [
    [2, 200, 2],
    [1, 502, 1],
  ] as const) {
    const upstream = await startTlsUpstream(endAt);
    const network = await startNetworkProxy(upstream.port);
    const { url } = await startProxy(`https://${HOST}`, { environment: { https_proxy: network.url } });
    if (endAt === 2) expect((await post(url)).status).toBe(200);
    expect((await post(url)).status).toBe(status);
    expect(upstream.counts.size).toBe(connections);
  }
});

test("an upstream of plain HTTP is asked by its whole URL", async () => {
  const network = await startNetworkProxy(0);
  const { url } = await startProxy("http://llm.corp:8000", { environment: { http_proxy: network.url } });
  const reply = await post(url);
  expect(await reply.text()).toBe("proxied http://llm.corp:8000/v1/messages");
  expect(network.asked[0]).toMatchObject({
    method: "POST",
    headers: { host: "llm.corp:8000", "content-length": "2" },
  });
});

test("this machine, and what NO_PROXY covers, is asked directly", async () => {
  const upstream = await startUpstream((response) => response.end("direct"));
  const network = await startNetworkProxy(upstream.port);
  const environment = { HTTP_PROXY: network.url, HTTPS_PROXY: network.url, NO_PROXY: HOST };
  const loopback = await startProxy(upstream.url, { environment });
  expect(await (await post(loopback.url)).text()).toBe("direct");
  const excepted = await startProxy(`http://${HOST}:1`, { environment });
  expect((await post(excepted.url)).status).toBe(502);
  expect(network.asked).toEqual([]);
});

test("a proxy that refuses, or that is not there, is named in the answer", async () => {
  const network = await startNetworkProxy(0, 407);
  const gone = await listenOnLoopback(createServer());
  await gone.end();
  for (const [proxy, why] of [
    [network.url, "407"],
    [gone.url, "ECONNREFUSED"],
  ] as const) {
    const { url } = await startProxy(`https://${HOST}`, { environment: { HTTPS_PROXY: proxy } });
    const reply = await post(url);
    expect(reply.status).toBe(502);
    const message = expect.stringContaining(`made no connection to https://${HOST} (${why}). Check HTTPS_PROXY`);
    expect(await reply.json()).toMatchObject({ error: { code: "upstream-unreachable", message } });
  }
});
