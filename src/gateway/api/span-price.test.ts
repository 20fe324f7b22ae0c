import { afterEach, beforeEach, expect, test } from "vitest";
import { type ApiUnderTest, startApi } from "../../../test/support/gateway-api.ts";
import { toolLoop } from "../../../test/support/long-talk.ts";

let running: ApiUnderTest;
beforeEach(async () => {
  running = await startApi();
});
afterEach(() => running.close());

test("tells what showing hidden messages again adds, and changes nothing", async () => {
  const session = await running.engine.session("a");
  await session.append(...toolLoop(60, 300));
  const { body: condensed } = await running.send("POST", "/sessions/a/condense");
  const hidden = (await session.expand(condensed.foldId)).messages.map(({ id = "" }) => id);
  const [from = "", to = ""] = [hidden[10], hidden[13]];
  const [version, view] = [await session.version(), await session.view()];
  const { body } = await running.get(`/sessions/a/price?from=${from}&to=${to}`);
  expect(body).toMatchObject({ from, to, extraUsd: {} });
  expect(body.tokens).toBeGreaterThan(500);
  expect([await session.version(), await session.view()]).toEqual([version, view]);
  const whole = await running.get(`/sessions/a/folds/${condensed.foldId}/price`);
  expect(whole.body.tokens).toBeGreaterThan(body.tokens);
  await session.restore({ from, to });
  expect((await running.get(`/sessions/a/price?from=${from}&to=${to}`)).body.tokens).toBe(0);
});

test("a message that the session has not, and half a span, are refused", async () => {
  const session = await running.engine.session("a");
  await session.append(...toolLoop(4, 30));
  expect((await running.get("/sessions/a/price?from=nothing&to=nothing")).status).toBe(404);
  expect((await running.get("/sessions/a/price?from=nothing")).status).toBe(400);
});

test("a fold names what is sent in its place, and a message its row", async () => {
  const session = await running.engine.session("a");
  await session.append(...toolLoop(60, 300));
  const { body: condensed } = await running.send("POST", "/sessions/a/condense");
  const { body: fold } = await running.get(`/sessions/a/folds/${condensed.foldId}?limit=1`);
  expect(fold.standIns.length).toBeGreaterThan(0);
  for (const { standsFor } of fold.standIns) expect(standsFor.foldId).toBe(condensed.foldId);
  const [hidden] = fold.hidden;
  const { body: message } = await running.get(`/sessions/a/messages/${hidden.id}`);
  const { body: strata } = await running.get("/sessions/a/strata");
  expect(strata.messages.rows[message.row].id).toBe(hidden.id);
});
