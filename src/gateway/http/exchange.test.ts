import { createServer } from "node:http";
import type { Dispatcher } from "undici";
import { afterEach, describe, expect, test } from "vitest";
import {
  closeAll,
  listenOnLoopback,
  startProxy,
  startUpstream,
  waitFor,
  watchedTurns,
} from "../../../test/support/loopback.ts";
import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { Turn } from "../turn.ts";
import { startExchange } from "./exchange.ts";
import type { Upstream } from "./kept-connections.ts";

afterEach(closeAll);

const TOO_LONG = '{"error":{"message":"prompt is too long: 210 tokens > 200 maximum"}}';
const AGENT_REQUEST = {
  api: "anthropic",
  path: "/v1/messages",
  headers: {},
  body: Buffer.from("long"),
  upstream: "http://upstream.test",
} as const;

/** Shortens a request when the test says so. */
function slowShortening() {
  const waiting: ((shorter: string) => void)[] = [];
  const script: Pick<Turn, "shorten"> = { shorten: () => new Promise((resolve) => waiting.push(resolve)) };
  return { script, shorten: (shorter: string) => waiting[0]?.(shorter), isAsked: () => waiting.length > 0 };
}

/** Connections that the test answers by hand, with events in an order that a real socket has only by chance. */
function scriptedUpstream() {
  const handlers: Dispatcher.DispatchHandler[] = [];
  const controller: Dispatcher.DispatchController = {
    aborted: false,
    paused: false,
    reason: null,
    abort: () => {},
    pause: () => {},
    resume: () => {},
  };
  const upstream: Upstream = {
    dispatch: (_, handler) => {
      handlers.push(handler);
      handler.onRequestStart?.(controller, {});
    },
  };
  return { upstream, handlers, controller };
}

describe("a client that has its answer, or is gone, while its request is shortened", () => {
  test("is not asked for again upstream where the reply broke off meanwhile", async () => {
    const { upstream, handlers, controller } = scriptedUpstream();
    const { script, shorten, isAsked } = slowShortening();
    const said: string[] = [];
    const follow: Partial<ReplyFollower> = {
      push: (text) => void said.push(text),
      stage: () => (said.length === 0 ? "opening" : "failed"),
      failure: () => ({ message: "prompt is too long: 210 tokens > 200 maximum" }),
    };
    const turns = watchedTurns({ ...script, isStreaming: true }, follow);
    const turn = await turns.begin(AGENT_REQUEST);
    const server = await listenOnLoopback(
      createServer((request, response) =>
        startExchange({
          request,
          response,
          upstream,
          origin: "http://upstream.test",
          path: "/v1/messages",
          body: AGENT_REQUEST.body,
          turn,
          turnTimeoutMs: 120_000,
          report: () => {},
        }),
      ),
    );
    const reply = fetch(server.url, { method: "POST", body: "long" }).then((each) => each.text());
    const cut = expect(reply).rejects.toThrow();
    await waitFor(() => handlers.length === 1);
    const [first] = handlers;
    first?.onResponseStart?.(controller, 200, { "content-type": "text/event-stream" }, "OK");
    first?.onResponseData?.(controller, Buffer.from("failed"));
    await waitFor(isAsked);
    first?.onResponseError?.(controller, new Error("reset"));
    shorten("short");
    await cut;
    expect(await turns.nextOutcome()).toEqual({ status: 200, isComplete: false });
    expect(handlers).toHaveLength(1);
  });

  test("is not asked for again upstream where it went away", async () => {
    const upstream = await startUpstream((response, { body }) =>
      body.toString() === "long" ? response.writeHead(400).end(TOO_LONG) : response.end("answer"),
    );
    const { script, shorten, isAsked } = slowShortening();
    const turns = watchedTurns(script);
    const proxy = await startProxy(upstream.url, { turns });
    const aborting = new AbortController();
    const { signal } = aborting;
    const reply = fetch(`${proxy.url}/v1/messages`, { method: "POST", body: "long", signal }).catch(() => "gone");
    await waitFor(isAsked);
    aborting.abort();
    expect(await reply).toBe("gone");
    await turns.nextOutcome();
    shorten("short");
    // What would be sent for nobody is on its way before this.
    await fetch(`${proxy.url}/v1/models`).then((each) => each.text());
    expect(upstream.requests.map(({ body }) => body.toString())).toEqual(["long", ""]);
  });
});
