import type { Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { closeAll, startProxy, startSocketServer, watchedTurns } from "../../../test/support/loopback.ts";

afterEach(closeAll);

/** What a connection does with a request: the first one of it is number 1, and so is the first connection. */
type Serve = (socket: Socket, request: number, connection: number) => void;

async function startFickle(serve: Serve) {
  const bodies: string[][] = [];
  const server = await startSocketServer((socket) => {
    const seen: string[] = [];
    const connection = bodies.push(seen);
    socket.on("data", (bytes) => {
      const request = seen.push(bytes.toString().split("\r\n\r\n")[1] ?? "");
      serve(socket, request, connection);
    });
  });
  return { ...server, bodies };
}

const answer = (socket: Socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
const answerFirst = (otherwise: (socket: Socket) => void): Serve => {
  return (socket, request) => void (request === 1 ? answer(socket) : otherwise(socket));
};

const post = (url: string, body: string, path = "/v1/messages") => fetch(`${url}${path}`, { method: "POST", body });

test.each([
  ["ends", (socket: Socket) => socket.end()],
  ["resets", (socket: Socket) => socket.resetAndDestroy()],
])(
  "a request on a kept connection that the upstream %s instead of answering is sent once more",
  async (_, onSecond) => {
    const upstream = await startFickle(answerFirst(onSecond));
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
  const upstream = await startFickle((socket, request, connection) => {
    if (request === 1 && connection === 1) answer(socket);
    else socket.end();
  });
  const { url } = await startProxy(upstream.url);
  await (await post(url, "{}")).text();
  expect((await post(url, "{}")).status).toBe(502);
  expect(upstream.bodies).toEqual([["{}", "{}"], ["{}"]]);
});

test("nor where the upstream had begun to answer", async () => {
  const upstream = await startFickle(
    answerFirst((socket) => socket.write("HTTP/1.1 200 O", () => setTimeout(() => socket.resetAndDestroy(), 50))),
  );
  const { url } = await startProxy(upstream.url);
  await (await post(url, "{}")).text();
  const reply = await post(url, "{}");
  expect([reply.status, await reply.json()]).toMatchObject([502, { error: { code: "upstream-unreachable" } }]);
  expect(upstream.bodies).toHaveLength(1);
});

test("nor on a connection of its own: the upstream may have done what it was asked", async () => {
  for (const onFirst of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
    const upstream = await startFickle(onFirst);
    const { url } = await startProxy(upstream.url);
    expect((await post(url, "{}")).status).toBe(502);
    expect(upstream.bodies).toEqual([["{}"]]);
  }
});

test("nor where its body was a stream, which is gone", async () => {
  const upstream = await startFickle(answerFirst((socket) => socket.end()));
  const { url } = await startProxy(upstream.url);
  await (await post(url, "one", "/v1/files")).text();
  expect((await post(url, "two", "/v1/files")).status).toBe(502);
  expect(upstream.bodies).toHaveLength(1);
});
