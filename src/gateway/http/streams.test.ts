import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import {
  closeAll,
  sendAsIs,
  startProxy,
  startSocketServer,
  startUpstream,
  waitFor,
  watchedTurns,
} from "../../../test/support/loopback.ts";

const isResetTakenForEnd = Number.parseInt(process.versions.node, 10) < 24;

afterEach(closeAll);

async function post(url: string, body: string | Buffer, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
}

describe("streams", () => {
  test("pass chunk by chunk: each arrives before the next is sent", async () => {
    const steps: (() => void)[] = [];
    const upstream = await startUpstream((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      steps.push(...["one", "two"].map((word) => () => void response.write(word)), () => void response.end());
    });
    const turns = watchedTurns();
    const proxy = await startProxy(upstream.url, { turns });
    const reply = await post(`${proxy.url}/v1/messages`, "{}");
    const reader = reply.body?.getReader();
    for (const word of ["one", "two"]) {
      steps.shift()?.();
      expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(word);
    }
    steps.shift()?.();
    expect((await reader?.read())?.done).toBe(true);
    expect(await turns.nextOutcome()).toEqual({ status: 200, isComplete: true });
    expect(turns.told).toEqual(["one", "two"]);
  });

  test("tell their follower whole characters, wherever chunks are cut", async () => {
    const upstream = await startUpstream(async (response) => {
      for (const byte of Buffer.from("ü🦄")) {
        response.write(Buffer.from([byte]));
        await new Promise((resolve) => setTimeout(resolve, 3));
      }
      response.end();
    });
    const turns = watchedTurns();
    const proxy = await startProxy(upstream.url, { turns });
    expect(await (await post(`${proxy.url}/v1/messages`, "{}")).text()).toBe("ü🦄");
    await turns.nextOutcome();
    expect(turns.told).toEqual(["ü", "🦄"]);
  });

  test("wait for a client that reads slowly, and lose nothing", async () => {
    // More than the sockets of both connections hold.
    const large = Buffer.alloc(32 * 1024 * 1024, "x");
    const sent: string[] = [];
    const upstream = await startUpstream((response, { body }) =>
      response.end(large, () => void sent.push(body.toString())),
    );
    const proxy = await startProxy(upstream.url);
    const ask = (body: string) => sendAsIs(`${proxy.url}/v1/messages`, ["Host", `127.0.0.1:${proxy.port}`], body);
    const slow = await ask("slow");
    // A proxy that does not wait has passed on the first reply by the time that it has passed on two more.
    for (const body of ["one", "two"]) {
      for await (const _ of await ask(body));
    }
    expect(sent).toEqual(["one", "two"]);
    expect(Buffer.concat(await slow.toArray()).length).toBe(large.length);
  });

  test("that are cut upstream are cut for the client, and the turn is not complete", async () => {
    const upstream = await startUpstream((response) => {
      response.write("half");
      setTimeout(() => response.destroy(), 20);
    });
    const turns = watchedTurns();
    const proxy = await startProxy(upstream.url, { turns });
    const reply = await post(`${proxy.url}/v1/messages`, "{}");
    await expect(reply.text()).rejects.toThrow();
    expect(await turns.nextOutcome()).toEqual({ status: 200, isComplete: false });
  });

  // Before Node 24 a reset that comes while nobody reads is reported as the end of the stream; the gateway does not tell the two apart (docs/decisions/0001).
  test.skipIf(isResetTakenForEnd)(
    "without a length that are reset are cut, also while the client reads slowly",
    async () => {
      let reset = () => {};
      const upstream = await startSocketServer((socket) => {
        reset = () => void socket.resetAndDestroy();
        socket.once("data", () => {
          socket.write(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${"x".repeat(6_000_000)}`);
        });
      });
      const proxy = await startProxy(upstream.url);
      const reply = await sendAsIs(`${proxy.url}/v1/messages`, ["Host", `127.0.0.1:${proxy.port}`], "{}");
      reset();
      // The proxy has seen the reset when it answers again; what the client has not read by then is still on its way.
      await (await fetch(proxy.url)).text();
      await expect(reply.toArray()).rejects.toThrow(/aborted/);
      expect((await fetch(proxy.url)).status).toBe(200);
    },
  );

  test("to a client of HTTP/1.0 are not ended as if they were whole", async () => {
    const upstream = await startUpstream((response) => {
      response.write("half");
      setTimeout(() => response.destroy(), 30);
    });
    const { port } = await startProxy(upstream.url);
    const socket = connect(port, "127.0.0.1");
    socket.write(`GET /v1/models HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    socket.resume();
    const [error] = await once(socket, "error");
    expect(error).toMatchObject({ code: "ECONNRESET" });
  });
});

describe("clients that go away", () => {
  test.each(["before the reply", "in the middle of it"])("end the upstream's request: %s", async (moment) => {
    let closed = false;
    const upstream = await startUpstream((response) => {
      response.on("close", () => (closed = true));
      if (moment !== "before the reply") response.write("some");
    });
    const turns = watchedTurns();
    const proxy = await startProxy(upstream.url, { turns });
    const aborting = new AbortController();
    const asking = fetch(`${proxy.url}/v1/messages`, { method: "POST", body: "{}", signal: aborting.signal });
    if (moment === "before the reply") await waitFor(() => upstream.requests.length === 1);
    else await asking;
    aborting.abort();
    await asking.catch(() => {});
    await waitFor(() => closed);
    const status = moment === "before the reply" ? undefined : 200;
    expect(await turns.nextOutcome()).toEqual({ status, isComplete: false });
    expect(turns.outcomes).toHaveLength(1);
  });

  test("in the middle of an upload end it upstream", async () => {
    let received = 0;
    let isClosed = false;
    const upstream = await startSocketServer((socket) => {
      socket.on("data", (chunk) => (received += chunk.length));
      socket.on("close", () => (isClosed = true));
    });
    const proxy = await startProxy(upstream.url);
    const upload = httpRequest(`${proxy.url}/v1/files`, { method: "POST", headers: { "content-length": "900000" } });
    upload.on("error", () => {});
    upload.write("x".repeat(1_000));
    await waitFor(() => received > 1_000);
    upload.destroy();
    await waitFor(() => isClosed);
    expect((await fetch(proxy.url)).status).toBe(200);
  });

  test("while their turn begins leave no request behind", async () => {
    const turns = watchedTurns();
    let go = () => {};
    const begun = new Promise<void>((resolve) => {
      go = resolve;
    });
    const upstream = await startUpstream((response) => response.end());
    let hasBegun = false;
    const begin: typeof turns.begin = async (request) => {
      hasBegun = true;
      await begun;
      return turns.begin(request);
    };
    const proxy = await startProxy(upstream.url, { turns: { begin } });
    const aborting = new AbortController();
    const asking = fetch(`${proxy.url}/v1/messages`, { method: "POST", body: "{}", signal: aborting.signal });
    await waitFor(() => hasBegun);
    aborting.abort();
    await asking.catch(() => {});
    // The proxy has seen the end of that connection when it has answered on a later one.
    await (await fetch(proxy.url)).text();
    go();
    expect(await turns.nextOutcome()).toEqual({ status: undefined, isComplete: false });
    expect(upstream.requests).toEqual([]);
  });
});

describe("upstreams that do not answer", () => {
  test("give a 502 that names them and no secret", async () => {
    const turns = watchedTurns();
    const proxy = await startProxy("http://127.0.0.1:1/v1", { turns });
    const reply = await post(`${proxy.url}/v1/messages`, "{}", { "x-api-key": "sk-secret" });
    expect(reply.status).toBe(502);
    const text = await reply.text();
    expect(JSON.parse(text)).toEqual({
      error: {
        type: "palimpsest_error",
        code: "upstream-unreachable",
        message: expect.stringContaining("http://127.0.0.1:1 could not be reached"),
      },
    });
    expect(text).not.toContain("sk-secret");
    expect(await turns.nextOutcome()).toEqual({ status: undefined, isComplete: false });
  });

  test("and whose name is unknown give one too", async () => {
    const proxy = await startProxy("http://nowhere.invalid");
    expect((await post(`${proxy.url}/v1/messages`, "{}")).status).toBe(502);
    expect((await post(`${proxy.url}/v1/files`, "{}")).status).toBe(502);
  });

  test("but close the connection give one too, also while a body is still streamed", async () => {
    const upstream = await startSocketServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
    const proxy = await startProxy(upstream.url);
    for (const path of ["/v1/messages", "/v1/files"]) {
      const reply = await post(`${proxy.url}${path}`, "x".repeat(3_000_000));
      expect(reply.status).toBe(502);
      expect(await reply.text()).toContain("upstream-unreachable");
    }
  });

  test("in time give a 504", async () => {
    const upstream = await startUpstream(() => {});
    const proxy = await startProxy(upstream.url, { upstreamTimeoutMs: 50 });
    const reply = await post(`${proxy.url}/v1/messages`, "{}");
    expect(reply.status).toBe(504);
    expect(await reply.text()).toContain("upstream-timeout");
  });

  test("as HTTP give a 502", async () => {
    const upstream = await startSocketServer((socket) => socket.once("data", () => socket.end("SSH-2.0-x\r\n")));
    const proxy = await startProxy(upstream.url);
    expect((await post(`${proxy.url}/v1/messages`, "{}")).status).toBe(502);
  });
});
