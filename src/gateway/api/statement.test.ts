import { expect, test } from "vitest";
import { startApi } from "../../../test/support/gateway-api.ts";

async function withRequests() {
  const api = await startApi();
  const usage = { inputTokens: 1_000, cacheReadTokens: 500, outputTokens: 20 };
  for (const id of ["a", "b"]) {
    const session = await api.engine.session(id);
    await session.append({ role: "user", content: "Why does it blink?" });
    await session.recordRequest({ at: 1_000, usage });
    await session.recordRequest({ at: 2_000, usage });
  }
  return api;
}

test("tells what a session cost, and all of them", async () => {
  const { engine, get, close } = await withRequests();
  const session = await engine.session("a");
  const one = await get("/sessions/a/statement");
  expect(one.status).toBe(200);
  expect(one.body).toEqual(JSON.parse(JSON.stringify(await session.statement())));
  expect(one.body).toMatchObject({ sessions: 1, requests: 2, unpriced: 0 });
  const all = await get("/statement");
  expect(all.body).toMatchObject({ sessions: 2, requests: 4 });
  expect((await get("/statement?since=1500")).body).toMatchObject({ sessions: 2, requests: 2 });
  expect((await get("/sessions/a/statement?since=3000")).body).toMatchObject({ requests: 0, spentUsd: 0 });
  await close();
});

test("tells each request and each fold of a session, which add up to its statement", async () => {
  const { engine, get, close } = await withRequests();
  const session = await engine.session("a");
  const { status, body } = await get("/sessions/a/statement/history");
  expect([status, body]).toEqual([200, JSON.parse(JSON.stringify(await session.statementHistory()))]);
  expect(body.requests).toMatchObject([{ at: 1_000 }, { at: 2_000, cacheHits: { reportedTokens: 500 } }]);
  const { spentUsd } = await session.statement();
  expect(body.requests.reduce((sum: number, each: { spentUsd: number }) => sum + each.spentUsd, 0)).toBeCloseTo(
    spentUsd,
    12,
  );
  expect((await get("/sessions/none/statement/history")).status).toBe(404);
  await close();
});

test("shows each request among the events", async () => {
  const { get, close } = await withRequests();
  const { body } = await get("/sessions/a/events");
  expect(body.events).toMatchObject([{ type: "request" }, { type: "request", usage: { inputTokens: 1_000 } }]);
  await close();
});

test("refuses what makes no sense", async () => {
  const { get, close } = await withRequests();
  expect((await get("/sessions/none/statement")).status).toBe(404);
  expect((await get("/statement?since=yesterday")).status).toBe(400);
  await close();
});
