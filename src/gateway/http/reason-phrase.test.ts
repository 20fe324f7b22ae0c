import { afterEach, expect, test } from "vitest";
import { closeAll, sendRaw, startProxy, startSocketServer, watchedTurns } from "../../../test/support/loopback.ts";

afterEach(closeAll);

/** Answers each request with this first line, as bytes, and a body. */
function startWithStatusLine(line: Buffer) {
  return startSocketServer((socket) => {
    socket.once("data", () => {
      socket.write(line);
      socket.end("\r\nX-Name: kept\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody");
    });
  });
}

const POST = (port: number) =>
  `POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`;

async function answerTo(phrase: Buffer): Promise<{ readonly statusLine: string; readonly answer: string }> {
  const upstream = await startWithStatusLine(Buffer.concat([Buffer.from("HTTP/1.1 404"), phrase]));
  const proxy = await startProxy(upstream.url, { turns: watchedTurns() });
  const answer = await sendRaw(proxy.port, POST(proxy.port));
  return { statusLine: answer.slice(0, answer.indexOf("\r\n")), answer };
}

test.each([
  ["plain", Buffer.from(" Nothing Here"), Buffer.from("HTTP/1.1 404 Nothing Here")],
  ["UTF-8, the same bytes", Buffer.from(" 请求错误 ü"), Buffer.from("HTTP/1.1 404 请求错误 ü")],
  [
    "Latin-1, whose bytes are lost on the way",
    Buffer.from(" Fehlt für", "latin1"),
    Buffer.from("HTTP/1.1 404 Not Found"),
  ],
  ["control characters", Buffer.from(" Not\u0001 Here\u007f"), Buffer.from("HTTP/1.1 404 Not Found")],
  ["no characters", Buffer.from(" "), Buffer.from("HTTP/1.1 404 ")],
  ["no phrase at all", Buffer.from(""), Buffer.from("HTTP/1.1 404 ")],
])("a reason phrase of %s: status, headers and body reach the client", async (_, phrase, expected) => {
  const { statusLine, answer } = await answerTo(phrase);
  expect(statusLine).toBe(expected.toString("latin1"));
  expect(answer).toContain("\r\nX-Name: kept\r\n");
  expect(answer).toContain("\r\nx-palimpsest-session: session-1\r\n");
  expect(answer.endsWith("\r\n\r\nbody")).toBe(true);
});
