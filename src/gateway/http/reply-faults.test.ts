/** Whatever of ours throws while a reply comes, the client has the upstream's bytes. */
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import {
  closeAll,
  sendAsIs,
  startProxy,
  startUpstream,
  waitFor,
  watchedTurns,
} from "../../../test/support/loopback.ts";
import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { Turn, Turns } from "../turn.ts";

afterEach(closeAll);

function fail(): never {
  throw new RangeError("of the secret conversation");
}

const EVENTS = ["event: opening\ndata: {}\n\n", 'data: {"text":"Hel', 'lo"}\n\n', "data: [DONE]\n\n"];

const CODINGS = {
  identity: (text: string) => Buffer.from(text),
  gzip: (text: string) => gzipSync(text),
  br: (text: string) => brotliCompressSync(text),
};

interface Reply {
  readonly coding: keyof typeof CODINGS;
  readonly isStreaming: boolean;
  readonly status?: number;
}

const REPLIES: readonly Reply[] = [true, false].flatMap((isStreaming) =>
  (["identity", "gzip", "br"] as const).map((coding) => ({ isStreaming, coding })),
);

/** What reaches the client of a reply while the turn does what it does, with the incidents. */
async function replyThrough(turns: Turns, { coding, isStreaming, status = 200 }: Reply, moreHeaders: string[] = []) {
  const bytes = CODINGS[coding](EVENTS.join(""));
  const upstream = await startUpstream((response) => {
    const type = isStreaming ? "text/event-stream" : "application/json";
    response.writeHead(status, ["content-type", type, "content-encoding", coding, ...moreHeaders]);
    // In pieces, so that something comes after whatever throws.
    response.write(bytes.subarray(0, 10));
    setImmediate(() => {
      response.write(bytes.subarray(10, 30));
      setImmediate(() => response.end(bytes.subarray(30)));
    });
  });
  const proxy = await startProxy(upstream.url, { turns });
  const answered = await sendAsIs(`${proxy.url}/v1/messages`, ["host", `127.0.0.1:${new URL(proxy.url).port}`], "{}");
  const received = Buffer.concat(await answered.toArray());
  expect(answered.statusCode).toBe(status);
  expect(received.equals(bytes)).toBe(true);
  return proxy;
}

const throwing = (name: keyof Turn): Partial<Turn> => Object.defineProperty({}, name, { get: fail, enumerable: true });

/** A turn that throws wherever it is touched there. */
function turnsWith(script: Partial<Turn>, follow: Partial<ReplyFollower>, isStreaming: boolean): Turns {
  const turns = watchedTurns({ isStreaming }, follow);
  return {
    begin: async (request) => {
      const turn = await turns.begin(request);
      return turn && Object.defineProperties(turn, Object.getOwnPropertyDescriptors(script));
    },
  };
}

const PLACES: readonly (readonly [string, Partial<Turn>, Partial<ReplyFollower>])[] = [
  ["asking whether it streams", throwing("isStreaming"), {}],
  ["asking for the follower", throwing("follower"), {}],
  ["asking for the body", throwing("body"), {}],
  ["headers", { headers: fail }, {}],
  ["telling that it was sent", { sent: fail }, {}],
  ["following", {}, { push: fail }],
  ["the end", { end: fail }, {}],
];

describe.each(REPLIES)("a reply: $coding, streaming: $isStreaming", (reply) => {
  test.each(PLACES)("where %s throws", async (_, script, follow) => {
    const proxy = await replyThrough(turnsWith(script, follow, reply.isStreaming), reply);
    await waitFor(() => proxy.incidents.length > 0);
    expect(proxy.incidents.every(({ error }) => error === "RangeError")).toBe(true);
  });

  test("where the upstream names its coding twice", async () => {
    const turns = watchedTurns({ isStreaming: reply.isStreaming });
    await replyThrough(turns, reply, ["content-encoding", "identity"]);
    expect(await turns.nextOutcome()).toEqual({ status: 200, isComplete: true });
  });

  test("where the upstream names its coding twice, on what may be a refusal", async () => {
    const turns = watchedTurns({ isStreaming: reply.isStreaming });
    await replyThrough(turns, { ...reply, status: 400 }, ["content-encoding", "identity"]);
    expect(await turns.nextOutcome()).toEqual({ status: 400, isComplete: true });
  });
});

describe.each(["identity", "gzip", "br"] as const)("a stream that is held: %s", (coding) => {
  test.each<[string, Partial<ReplyFollower>]>([
    ["its stage throws", { stage: fail }],
    ["its failure throws", { stage: () => "failed", failure: fail }],
  ])("where %s", async (_, follow) => {
    const reply = { coding, isStreaming: true };
    const proxy = await replyThrough(turnsWith({}, follow, true), reply);
    await waitFor(() => proxy.incidents.length > 0);
    expect(proxy.incidents[0]).toMatchObject({ what: "following a reply", error: "RangeError" });
  });
});
