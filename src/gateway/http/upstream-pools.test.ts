import { afterEach, expect, test } from "vitest";
import { closeAll, startSocketServer } from "../../../test/support/loopback.ts";
import { type SentRequest, sendUpstream } from "./send-upstream.ts";
import { openUpstreamPools } from "./upstream-pools.ts";

afterEach(closeAll);

test("a reply that is reset while it is paused fails for its request, and for nothing else", async () => {
  const upstream = await startSocketServer((socket) => {
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nsome");
      setTimeout(() => socket.resetAndDestroy(), 30);
    });
  });
  const pools = openUpstreamPools({ headersTimeoutMs: 60_000 });
  const failure = await new Promise<Error>((resolve, reject) => {
    const request = { method: "GET", path: "/", headers: [], body: undefined };
    const sent: SentRequest = sendUpstream(pools.of(upstream.url), request, {
      onHead: () => sent.pause(),
      onData: () => {},
      onEnd: () => reject(new Error("The reply was taken for whole.")),
      onFailure: resolve,
    });
  });
  expect(failure).toMatchObject({ code: "UND_ERR_SOCKET" });
  await pools.close();
});
