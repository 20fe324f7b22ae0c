import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { closeAll, startProxy, startUpstream, waitFor, watchedTurns } from "../../../test/support/loopback.ts";
import type { ReplyFollower } from "../../core/ports/wire-adapter.ts";
import type { Turn, TurnOutcome, Turns } from "../turn.ts";

afterEach(closeAll);

const TOO_LONG = '{"error":{"message":"prompt is too long: 210 tokens > 200 maximum"}}';

function fail(): never {
  throw new SyntaxError("Unexpected token in the secret conversation");
}

async function ask(turns: Turns, reply: { status?: number; body?: string } = {}, limits = {}) {
  const { status = 200, body = "answer" } = reply;
  const upstream = await startUpstream((response) => response.writeHead(status).end(body));
  const proxy = await startProxy(upstream.url, { turns, limits, now: () => 42 });
  const answered = await fetch(`${proxy.url}/v1/messages`, { method: "POST", body: "original" });
  return { sent: upstream.requests[0]?.body.toString(), answer: await answered.text(), incidents: proxy.incidents };
}

const INCIDENT = { type: "incident", at: 42, error: "SyntaxError" };

test.each([
  ["throws", fail],
  ["rejects", async () => fail()],
])("a turn whose beginning %s is done without", async (_, begin) => {
  expect(await ask({ begin })).toEqual({
    sent: "original",
    answer: "answer",
    incidents: [{ ...INCIDENT, what: "beginning a turn" }],
  });
});

test("a turn that takes too long is done without, and ended when it comes", async () => {
  const outcomes: TurnOutcome[] = [];
  const turns = watchedTurns({ body: "late", end: (outcome) => void outcomes.push(outcome) });
  let finish = () => {};
  const answered = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const begin: Turns["begin"] = async (request) => {
    await answered;
    return turns.begin(request);
  };
  expect(await ask({ begin }, {}, { turnTimeoutMs: 40 })).toEqual({
    sent: "original",
    answer: "answer",
    incidents: [{ ...INCIDENT, what: "beginning a turn", error: "took too long" }],
  });
  finish();
  await waitFor(() => outcomes.length === 1);
  expect(outcomes).toEqual([{ status: undefined, isComplete: false }]);
});

test.each<[string, Partial<Turn>, Partial<ReplyFollower>]>([
  ["headers of a reply", { headers: fail }, {}],
  ["following a reply", {}, { push: fail }],
  ["ending a turn", { end: fail }, {}],
])("a failure in %s harms no reply", async (what, script, follow) => {
  const { answer, incidents } = await ask(watchedTurns(script, follow));
  expect(answer).toBe("answer");
  await waitFor(() => incidents.length === 1);
  expect(incidents).toEqual([{ ...INCIDENT, what }]);
});

test.each<[string, Turn["shorten"]]>([
  ["throws", fail],
  ["rejects", async () => fail()],
  ["takes too long", () => new Promise(() => {})],
])("shortening that %s passes the refusal on", async (_, shorten) => {
  const refused = { status: 400, body: TOO_LONG };
  const { answer, incidents } = await ask(watchedTurns({ shorten }), refused, { turnTimeoutMs: 200 });
  expect(answer).toBe(TOO_LONG);
  expect(incidents).toMatchObject([{ what: "shortening a request" }]);
});

test("headers of ours that cannot be sent are left out", async () => {
  const { answer } = await ask(watchedTurns({ headers: () => ({ "x-palimpsest-session": "a\nb" }) }));
  expect(answer).toBe("answer");
});

test("a reply that claims to be compressed and is not passes, and is followed no more", async () => {
  const turns = watchedTurns();
  const upstream = await startUpstream((response) =>
    response.writeHead(200, { "content-encoding": "br" }).end("plain"),
  );
  const proxy = await startProxy(upstream.url, { turns });
  const reply = fetch(`${proxy.url}/v1/messages`, { method: "POST", body: "{}", headers: { "accept-encoding": "br" } });
  await reply.then((answered) => answered.arrayBuffer()).catch(() => {});
  expect(await turns.nextOutcome()).toEqual({ status: 200, isComplete: true });
  expect(turns.told).toEqual([]);
  expect(proxy.incidents).toEqual([]);
});

test("a request that unpacks to more than the limit is refused", async () => {
  const upstream = await startUpstream((response) => response.end());
  const proxy = await startProxy(upstream.url, { turns: watchedTurns(), limits: { maxBodyBytes: 100_000 } });
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  const headers = { "content-encoding": "gzip" };
  const reply = await fetch(`${proxy.url}/v1/messages`, { method: "POST", body: bomb, headers });
  expect(reply.status).toBe(413);
  expect(upstream.requests).toEqual([]);
});
