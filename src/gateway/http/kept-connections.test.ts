import type { Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { closeAll, startProxy, startSocketServer, watchedTurns } from "../../../test/support/loopback.ts";

afterEach(closeAll);

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** Answers the first request of each connection, and does something else on the second. */
async function startFickle(onSecond: (socket: Socket) => void, first: (connection: number) => string = () => OK) {
  const bodies: string[][] = [];
  const server = await startSocketServer((socket) => {
    const seen: string[] = [];
    bodies.push(seen);
    const connection = bodies.length;
    socket.on("data", (bytes) => {
      seen.push(bytes.toString().split("\r\n\r\n")[1] ?? "");
      if (seen.length === 1) socket.write(first(connection));
      else onSecond(socket);
    });
  });
  return { ...server, bodies };
}

const post = (url: string, body: string, path = "/v1/messages") => fetch(`${url}${path}`, { method: "POST", body });

test.each([
  ["ends", (socket: Socket) => socket.end()],
  ["resets", (socket: Socket) => socket.resetAndDestroy()],
])(
  "a request on a kept connection that the upstream %s instead of answering is sent once more",
  async (_, onSecond) => {
    const upstream = await startFickle(onSecond);
    const turns = watchedTurns();
    const { url } = await startProxy(upstream.url, { turns });
    for (const body of ['{"n":1}', '{"n":2}', '{"n":3}']) {
      const reply = await post(url, body);
      expect([reply.status, await reply.text()]).toEqual([200, "ok"]);
    }
    expect(upstream.bodies).toEqual([['{"n":1}', '{"n":2}'], ['{"n":2}'], ['{"n":3}']]);
    expect(turns.outcomes).toHaveLength(3);
    expect(turns.outcomes.every(({ isComplete }) => isComplete)).toBe(true);
  },
);

test("it is not sent a third time", async () => {
  const upstream = await startFickle(
    (socket) => socket.end(),
    (connection) => (connection === 1 ? OK : "HTTP/1.1 2"),
  );
  const { url } = await startProxy(upstream.url);
  await (await post(url, "{}")).text();
  const failing = post(url, "{}");
  setTimeout(() => void closeAll(), 200);
  expect((await failing.catch(() => undefined))?.status ?? 502).toBe(502);
  expect(upstream.bodies).toHaveLength(2);
});

test("nor where the upstream had begun to answer", async () => {
  const upstream = await startFickle((socket) => socket.write("HTTP/1.1 200 O", () => socket.resetAndDestroy()));
  const { url } = await startProxy(upstream.url);
  await (await post(url, "{}")).text();
  const reply = await post(url, "{}");
  expect([reply.status, await reply.json()]).toMatchObject([502, { error: { code: "upstream-unreachable" } }]);
  expect(upstream.bodies).toHaveLength(1);
});

test("nor on a connection of its own: the upstream may have done what it was asked", async () => {
  const upstream = await startSocketServer((socket) => socket.on("data", () => socket.end()));
  let connections = 0;
  const counted = await startSocketServer((socket) => {
    connections += 1;
    socket.on("data", () => socket.resetAndDestroy());
  });
  for (const { url: base } of [upstream, counted]) {
    const { url } = await startProxy(base);
    expect((await post(url, "{}")).status).toBe(502);
  }
  expect(connections).toBe(1);
});

test("nor where its body was a stream, which is gone", async () => {
  const upstream = await startFickle((socket) => socket.end());
  const { url } = await startProxy(upstream.url);
  await (await post(url, "one", "/v1/files")).text();
  expect((await post(url, "two", "/v1/files")).status).toBe(502);
  expect(upstream.bodies).toHaveLength(1);
});
