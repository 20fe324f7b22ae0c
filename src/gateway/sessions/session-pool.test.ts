import { describe, expect, test } from "vitest";
import { asking, gatewayTurns, steps } from "../../../test/support/gateway-turns.ts";

const named = (id: string) => ({ headers: { "x-palimpsest-session": id } });

describe("more sessions than may be open", () => {
  test("close the one that was asked longest ago", async () => {
    const gateway = gatewayTurns({ maxOpenSessions: 2 });
    for (const id of ["one", "two", "one", "three"]) await gateway.exchange(asking(steps(id, 1), named(id)));
    expect(["one", "two", "three"].map((id) => gateway.pool.isOpen(id))).toEqual([true, false, true]);
  });

  test("leave open the one whose reply is awaited, until that has come", async () => {
    const gateway = gatewayTurns({ maxOpenSessions: 1 });
    await gateway.exchange(asking(steps("awaited", 1), named("awaited")));
    const turn = await gateway.turns.begin(asking(steps("awaited", 2), named("awaited")));
    turn?.sent();
    // It is written to its session in the next turn of the event loop.
    await new Promise(setImmediate);
    const session = await gateway.pool.conversation("awaited").session();
    await gateway.exchange(asking(steps("other", 1), named("other")));
    expect(gateway.pool.isOpen("awaited")).toBe(true);
    await expect(session.log()).resolves.toHaveLength(5);
    turn?.end({ status: 200, isComplete: true });
    await gateway.pool.settled();
    await gateway.exchange(asking(steps("other", 2), named("other")));
    expect(gateway.pool.isOpen("awaited")).toBe(false);
  });

  test("leave open the one that someone works with, until that is done", async () => {
    const gateway = gatewayTurns({ maxOpenSessions: 1 });
    await gateway.exchange(asking(steps("used", 1), named("used")));
    const conversation = gateway.pool.conversation("used");
    const session = await conversation.session();
    let finish = () => {};
    const using = conversation.enqueue(() => new Promise<void>((resolve) => (finish = resolve)));
    gateway.pool.conversation("other");
    gateway.pool.evictIdle();
    expect(gateway.pool.isOpen("used")).toBe(true);
    await session.append({ role: "user", content: "Go on." });
    finish();
    await using;
    gateway.pool.conversation("another");
    gateway.pool.evictIdle();
    expect(gateway.pool.isOpen("used")).toBe(false);
  });
});
