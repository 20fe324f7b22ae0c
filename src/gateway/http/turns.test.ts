import { once } from "node:events";
import { request as httpRequest, type ServerResponse } from "node:http";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  closeAll,
  NO_TURNS,
  startProxy,
  startUpstream,
  waitFor,
  watchedTurns,
} from "../../../test/support/loopback.ts";
import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { Turn } from "../turn.ts";

afterEach(closeAll);

const TOO_LONG =
  '{"type":"error", "error": {"type":"invalid_request_error","message":"prompt is too long: 210 tokens > 200 maximum"}}';

function post(url: string, body: string | Buffer = "{}", headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { method: "POST", body, headers });
}

describe("a changed body", () => {
  test("is sent plain, with its own length, whatever the old one was", async () => {
    const upstream = await startUpstream((response) => response.end("ok"));
    const proxy = await startProxy(upstream.url, { turns: watchedTurns({ body: '{"kürzer":1}' }) });
    await post(`${proxy.url}/v1/responses`, zstdCompressSync('{"long":1}'), {
      "content-encoding": "zstd",
      "x-key": "k",
    });
    const [seen] = upstream.requests;
    expect(seen?.body.toString()).toBe('{"kürzer":1}');
    expect(seen?.headers).toMatchObject({ "content-length": "13", "x-key": "k" });
    expect(seen?.headers["content-encoding"]).toBeUndefined();
  });

  test("is not sent where the client bypasses us: no turn is made at all", async () => {
    const turns = watchedTurns({ body: "changed" });
    const upstream = await startUpstream((response) => response.end("ok"));
    const proxy = await startProxy(upstream.url, { turns });
    await post(`${proxy.url}/v1/messages`, "original", { "x-palimpsest-bypass": "1" });
    expect(upstream.requests[0]?.body.toString()).toBe("original");
    expect(upstream.requests[0]?.headers["x-palimpsest-bypass"]).toBeUndefined();
    expect(turns.bodies).toEqual([]);
  });
});

describe("a request that is refused as too long", () => {
  const refuseUnless = (accepted: string, refuse: (response: ServerResponse) => void) =>
    startUpstream((response, { body }) => (body.toString() === accepted ? response.end("answer") : refuse(response)));

  function shortening(...bodies: string[]) {
    const refusals: unknown[] = [];
    const shorten: Turn["shorten"] = async (refusal) => {
      refusals.push(refusal);
      return bodies.shift();
    };
    return { refusals, turns: watchedTurns({ shorten }) };
  }

  test.each([400, 413, 422, 500])("with %d is sent again, shorter, until it is accepted", async (status) => {
    const upstream = await refuseUnless("short", (response) => response.writeHead(status).end(TOO_LONG));
    const { turns, refusals } = shortening("shorter", "short");
    const proxy = await startProxy(upstream.url, { turns });
    const reply = await post(`${proxy.url}/v1/messages`, "long", { "x-api-key": "k" });
    expect([reply.status, await reply.text()]).toEqual([200, "answer"]);
    expect(upstream.requests.map(({ body }) => body.toString())).toEqual(["long", "shorter", "short"]);
    expect(upstream.requests.every(({ headers }) => headers["x-api-key"] === "k")).toBe(true);
    expect(refusals[0]).toEqual({ isTooLong: true, by: "tokens", promptTokens: 210, limitTokens: 200 });
    expect(await turns.nextOutcome()).toEqual({ status: 200, isComplete: true });
    expect(turns.told).toEqual(["answer"]);
  });

  test("in a compressed answer is understood too", async () => {
    const upstream = await refuseUnless("short", (response) =>
      response.writeHead(400, { "content-encoding": "gzip" }).end(gzipSync(TOO_LONG)),
    );
    const proxy = await startProxy(upstream.url, { turns: shortening("short").turns });
    expect(await (await post(`${proxy.url}/v1/messages`, "long")).text()).toBe("answer");
  });

  test("and cannot be shortened has the refusal passed on byte for byte", async () => {
    const upstream = await startUpstream((response) =>
      response.writeHead(400, "Too Long", { "request-id": "r1" }).end(TOO_LONG),
    );
    const { turns } = shortening();
    const proxy = await startProxy(upstream.url, { turns });
    const reply = await post(`${proxy.url}/v1/messages`, "long");
    expect([reply.status, reply.statusText, reply.headers.get("request-id")]).toEqual([400, "Too Long", "r1"]);
    expect(await reply.text()).toBe(TOO_LONG);
    expect(await turns.nextOutcome()).toEqual({ status: 400, isComplete: true });
  });

  test("again and again is not sent forever", async () => {
    const upstream = await startUpstream((response) => response.writeHead(400).end(TOO_LONG));
    const turns = watchedTurns({ shorten: async () => "still too long" });
    const proxy = await startProxy(upstream.url, { turns });
    const reply = await post(`${proxy.url}/v1/messages`, "long");
    expect([reply.status, await reply.text()]).toEqual([400, TOO_LONG]);
    expect(upstream.requests).toHaveLength(5);
    await turns.nextOutcome();
    expect(turns.outcomes).toHaveLength(1);
  });

  test.each([
    ['{"error":{"message":"temperature: must be at most 1"}}', 400],
    ['{"error":{"message":"invalid"},"input":"prompt is too long: 210 tokens > 200 maximum"}', 422],
    ["x".repeat(400_000), 500],
    ["", 400],
  ])("is no refusal where the answer is %.40j", async (answer, status) => {
    const upstream = await startUpstream((response) => response.writeHead(status).end(answer));
    const { turns, refusals } = shortening("short");
    const proxy = await startProxy(upstream.url, { turns });
    const reply = await post(`${proxy.url}/v1/messages`, "long");
    expect([reply.status, await reply.text()]).toEqual([status, answer]);
    expect(refusals).toEqual([]);
    expect(await turns.nextOutcome()).toEqual({ status, isComplete: true });
  });

  test("and is cut off in the refusal is cut off for the client", async () => {
    const upstream = await startUpstream((response) => {
      response.writeHead(400, { "content-length": "1000" }).write("{");
      setTimeout(() => response.destroy(), 20);
    });
    const { turns } = shortening("short");
    const proxy = await startProxy(upstream.url, { turns });
    await expect(post(`${proxy.url}/v1/messages`, "long").then((reply) => reply.text())).rejects.toThrow();
    expect(await turns.nextOutcome()).toEqual({ status: 400, isComplete: false });
  });
});

describe("a streamed reply", () => {
  /** Follows streams of our own: o opens, s speaks, f fails, and ! says that it was too long. */
  function stagedFollower(): ReplyFollower & { readonly said: string } {
    let said = "";
    return {
      get said() {
        return said;
      },
      push: (text) => {
        said += text;
      },
      stage: () => (said.includes("f") ? "failed" : said.includes("s") ? "speaking" : "opening"),
      failure: () => ({ message: said.includes("!") ? "Your input exceeds the context window of this model" : "busy" }),
      usage: () => undefined,
    };
  }

  async function exchange(
    stream: (response: ServerResponse, body: string) => void,
    { coding = "identity", canShorten = true, path = "/v1/responses", shortenMs = 0 } = {},
  ) {
    const upstream = await startUpstream((response, { body }) => {
      response.writeHead(200, { "content-type": "text/event-stream", "content-encoding": coding });
      stream(response, body.toString());
    });
    const turns = watchedTurns();
    // a follower follows one reply: a turn has another for each attempt
    let follower = stagedFollower();
    const begin: typeof turns.begin = async (request) => {
      const turn = await turns.begin(request);
      if (turn === undefined) return undefined;
      return {
        ...turn,
        isStreaming: true,
        get follower() {
          return follower;
        },
        shorten: async () => {
          await new Promise((resolve) => setTimeout(resolve, shortenMs));
          follower = stagedFollower();
          return canShorten ? "short" : undefined;
        },
      };
    };
    const proxy = await startProxy(upstream.url, { turns: { begin } });
    return { url: `${proxy.url}${path}`, upstream, turns, followed: () => follower.said };
  }

  test.each([
    "/v1/responses",
    "/v1/chat/completions",
    "/v1/messages",
    "/v1beta/models/gemini-2.5-pro:streamGenerateContent",
  ])("at %s that fails as too long is asked for again, and the client never knows", async (path) => {
    const { url, upstream, turns } = await exchange(
      (response, body) => {
        response.write("o");
        // One timer after the other: on a busy machine two of them may come in any order.
        setTimeout(() => {
          response.write(body === "short" ? "s" : "f!");
          setTimeout(() => response.end("."), 20);
        }, 20);
      },
      { path },
    );
    const reply = await post(url, "long");
    expect(await reply.text()).toBe("os.");
    expect(upstream.requests.map(({ body }) => body.toString())).toEqual(["long", "short"]);
    expect(await turns.nextOutcome()).toEqual({ status: 200, isComplete: true });
  });

  test("is understood where it is compressed", async () => {
    const { url, upstream } = await exchange(
      (response, body) => response.end(gzipSync(body === "short" ? "os." : "of!")),
      { coding: "gzip" },
    );
    expect(await (await post(url, "long")).text()).toBe("os.");
    expect(upstream.requests).toHaveLength(2);
  });

  test("that only opens is held back until it speaks, then all of it comes at once", async () => {
    const steps: (() => void)[] = [];
    const { url, followed } = await exchange((response) => {
      response.write("o");
      steps.push(
        () => response.write("o"),
        () => response.write("s"),
        () => response.end("!"),
      );
    });
    const events: string[] = [];
    const asked = post(url, "long").then((reply) => {
      events.push("the client has a reply");
      return reply;
    });
    await waitFor(() => steps.length > 0);
    for (const opening of ["o", "oo", "ooo"]) {
      await waitFor(() => followed() === opening);
      // A reply that was released would be here before one that is asked for afterwards.
      await (await fetch(new URL("/", url))).text();
      expect(events).toEqual([]);
      steps[0]?.();
    }
    await waitFor(() => followed() === "oooo");
    events.push("the upstream speaks");
    steps[1]?.();
    const reader = (await asked).body?.getReader();
    let said = "";
    while (!said.includes("s")) said += Buffer.from((await reader?.read())?.value ?? []).toString();
    // the upstream has said no more yet
    expect(said).toBe("oooos");
    expect(events).toEqual(["the upstream speaks", "the client has a reply"]);
    steps[2]?.();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("!");
  });

  test("that nobody can follow is not held back", async () => {
    // A reply that is held would come after twenty seconds; here, never.
    const { setTimeout: startTimer } = globalThis;
    const isHold = (limitMs?: number) => limitMs === 20_000;
    onTestFinished(() => void vi.restoreAllMocks());
    vi.spyOn(globalThis, "setTimeout").mockImplementation((callback, limitMs) =>
      startTimer(callback, isHold(limitMs) ? 2 ** 31 - 1 : limitMs),
    );
    let end = () => {};
    const stream = (response: ServerResponse) => {
      response.write("oooo");
      end = () => void response.end();
    };
    for (const coding of ["aes128gcm", "gzip"]) {
      const { url } = await exchange(stream, { coding });
      const [reply] = await once(httpRequest(url, { method: "POST" }).end("long"), "response");
      expect(reply.headers["content-encoding"]).toBe(coding);
      end();
      reply.resume();
      await once(reply, "close");
    }
  });

  test("that its client no longer wants while it is held is ended upstream", async () => {
    let isOpen = false;
    const { url, turns, upstream } = await exchange((response) => {
      isOpen = true;
      response.once("close", () => (isOpen = false));
      response.write("o");
    });
    const aborting = new AbortController();
    const asked = fetch(url, { method: "POST", body: "long", signal: aborting.signal }).catch(() => "aborted");
    await waitFor(() => isOpen);
    aborting.abort();
    expect(await asked).toBe("aborted");
    await waitFor(() => !isOpen);
    expect(await turns.nextOutcome()).toMatchObject({ isComplete: false });
    expect(upstream.requests).toHaveLength(1);
  });

  test.each([
    ["ends before it has said anything", "o", true],
    ["fails otherwise", "of", true],
    ["fails as too long, and cannot be shortened", "of! and why", false],
  ])("that %s is passed on as it is", async (_, stream, canShorten) => {
    const { url, turns, upstream } = await exchange((response) => response.end(stream), { canShorten });
    expect(await (await post(url, "long")).text()).toBe(stream);
    expect(upstream.requests).toHaveLength(1);
    expect(await turns.nextOutcome()).toEqual({ status: 200, isComplete: true });
  });

  test.each([true, false])(
    "that refuses and is cut then is asked for again where it can be: %s",
    async (canShorten) => {
      const { url, upstream } = await exchange(
        (response, body) => {
          if (body === "short") return response.end("os.");
          response.write("of!");
          return setTimeout(() => response.destroy(), 10);
        },
        { canShorten, shortenMs: 100 },
      );
      const asked = post(url, "long").then((reply) => reply.text());
      if (canShorten) expect(await asked).toBe("os.");
      else await expect(asked).rejects.toThrow();
      expect(upstream.requests).toHaveLength(canShorten ? 2 : 1);
    },
  );

  test("that is cut while it is held is cut for the client", async () => {
    const { url, turns } = await exchange((response) => {
      response.write("o");
      setTimeout(() => response.destroy(), 20);
    });
    await expect(post(url, "long").then((reply) => reply.text())).rejects.toThrow();
    expect(await turns.nextOutcome()).toEqual({ status: 200, isComplete: false });
  });
});

test("no turn at all forwards the request as it came", async () => {
  const upstream = await startUpstream((response) => response.writeHead(400).end(TOO_LONG));
  const proxy = await startProxy(upstream.url, { turns: NO_TURNS });
  const reply = await post(`${proxy.url}/v1/messages`, "long");
  expect([reply.status, await reply.text()]).toEqual([400, TOO_LONG]);
  await waitFor(() => upstream.requests.length === 1);
});
