import { expect, test } from "vitest";
import { startApi } from "../../../test/support/gateway-api.ts";
import { chat, tag, user } from "../../../test/support/messages.ts";

test("shows a page of 10,000 messages without counting or sending the others", async () => {
  const { get, engine, close } = await startApi();
  const session = await engine.session("long");
  await session.append(...chat(10_000));
  const first = await get("/sessions/long/log?limit=1000");
  expect([first.body.messages.length, first.body.total, first.body.nextAfter]).toEqual([1_000, 10_000, 999]);
  const last = await get("/sessions/long/view?after=9994");
  expect(last.body.messages.map(({ id }: { id: string }) => id)).toEqual(["m9995", "m9996", "m9997", "m9998", "m9999"]);
  expect(last.body.nextAfter).toBeUndefined();
  expect((await get("/sessions/long/log?after=20000")).body).toMatchObject({ messages: [], total: 10_000 });
  expect(JSON.stringify(last.body).length).toBeLessThan(2_000);
  expect((await get("/sessions/long")).body.messages.log).toBe(10_000);
  await close();
});

test("a page of very long messages ends early, and the next one goes on", async () => {
  const { get, engine, close } = await startApi();
  const session = await engine.session("wide");
  const source = { type: "base64", media_type: "image/png", data: "A".repeat(1_500_000) } as const;
  await session.append(...["a", "b", "c", "d"].map((id) => tag(user({ type: "image", source }), { id })));
  const { body } = await get("/sessions/wide/log");
  expect([body.messages.length, body.nextAfter]).toEqual([2, 1]);
  expect((await get("/sessions/wide/log?after=1")).body.messages.map(({ id }: { id: string }) => id)).toEqual([
    "c",
    "d",
  ]);
  await close();
});
