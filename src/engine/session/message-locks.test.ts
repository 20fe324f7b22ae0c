import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { chat, user } from "../../../test/support/messages.ts";
import { untyped } from "../../../test/support/sessions.ts";
import { reworded, sessionOn } from "../../../test/support/stored-sessions.ts";
import { describeStores } from "../../../test/support/stores.ts";

await describeStores("a message's lock", (makePlace) => {
  async function openTwo() {
    const place = makePlace();
    const [one, other] = [await sessionOn(place.open()), await sessionOn(place.open())];
    await one.append(...chat(4));
    return { one, other };
  }

  test("keeps others from updating the message until it is released, and nothing else", async () => {
    const { one, other } = await openTwo();
    const lock = await one.lock("m1");
    let isUpdated = false;
    const updating = other.update("m1", reworded("later")).then(() => {
      isUpdated = true;
    });
    await other.update("m2", reworded("at once"));
    await other.append(user("at once, too"));
    await other.prepare();
    expect(isUpdated).toBe(false);
    expect(await lock.release()).toBe(true);
    await updating;
    expect((await one.log())[1]).toMatchObject({ content: "later" });
    expect(await lock.release()).toBe(false);
  });

  test("is waited for no longer than asked; then its holder is named", async () => {
    const { one, other } = await openTwo();
    await one.lock("m1", { holder: "anna" });
    const held = { code: "conflict", message: expect.stringContaining('"m1" is locked by "anna"') };
    const startedAt = performance.now();
    await expect(other.update(["m0", "m1"], (each) => each, { timeoutMs: 60 })).rejects.toMatchObject(held);
    expect(performance.now() - startedAt).toBeGreaterThan(50);
    await expect(other.lock("m1", { timeoutMs: 0 })).rejects.toMatchObject(held);
    // What it had locked by then is free again.
    await (await one.lock("m0", { timeoutMs: 0 })).release();
  });

  test("runs out, and its late holder is told so", async () => {
    const { one, other } = await openTwo();
    const lock = await one.lock("m1", { durationMs: 60 });
    const next = await other.lock("m1", { holder: "ben", timeoutMs: 60_000 });
    expect(next.expiresAt).toBeGreaterThan(lock.expiresAt);
    expect(await lock.release()).toBe(false);
    await expect(one.lock("m1", { timeoutMs: 0 })).rejects.toThrow('"ben"');
  });

  test("is seen by all, with its holder, until it is released", async () => {
    const { one, other } = await openTwo();
    expect([await other.isLocked("m1"), await other.getHolder("m1")]).toEqual([false, undefined]);
    const lock = await one.lock("m1", { holder: "anna" });
    for (const session of [one, other]) {
      expect([await session.isLocked("m1"), await session.getHolder("m1")]).toEqual([true, "anna"]);
      expect(await session.isLocked("m2")).toBe(false);
    }
    expect(await lock.release()).toBe(true);
    expect([await other.isLocked("m1"), await one.getHolder("m1")]).toEqual([false, undefined]);
  });

  test("that ran out has no holder", async () => {
    const { one, other } = await openTwo();
    await one.lock("m1", { holder: "anna", durationMs: 5 });
    await sleep(30);
    expect([await one.isLocked("m1"), await other.getHolder("m1")]).toEqual([false, undefined]);
  });

  test("is taken by force from whoever holds it", async () => {
    const { one, other } = await openTwo();
    const lock = await one.lock("m1");
    expect(await other.unlock("m1")).toBe(true);
    expect(await other.unlock("m1")).toBe(false);
    const next = await other.lock("m1", { timeoutMs: 0 });
    expect(await lock.release()).toBe(false);
    expect(await next.release()).toBe(true);
  });

  test("is taken again by its holder, who keeps it while updating the message", async () => {
    const { one, other } = await openTwo();
    const holder = "anna";
    const lock = await one.lock("m1", { holder });
    const again = await one.lock("m1", { holder, timeoutMs: 0 });
    expect(again.expiresAt).toBeGreaterThanOrEqual(lock.expiresAt);
    expect(await again.release()).toBe(true);
    await one.update("m1", reworded("mine"), { holder });
    await expect(other.lock("m1", { timeoutMs: 0 })).rejects.toMatchObject({ code: "conflict" });
    expect(await lock.release()).toBe(true);
    await (await other.lock("m1", { timeoutMs: 0 })).release();
  });

  test("that ran out is not kept any longer by its holder's next update", async () => {
    const { one, other } = await openTwo();
    const holder = "anna";
    await one.lock("m1", { holder, durationMs: 5 });
    await sleep(30);
    await one.update("m1", reworded("mine"), { holder });
    await (await other.lock("m1", { timeoutMs: 0 })).release();
  });

  test("never makes two wait for each other, in whichever order they name the messages", async () => {
    const { one, other } = await openTwo();
    const rounds = 15;
    const work = async (session: typeof one, ids: readonly string[]) => {
      for (let round = 0; round < rounds; round++) {
        await session.update(
          ids,
          (messages) => messages.map((message) => ({ ...message, content: `${message.content}.` })),
          { timeoutMs: 300_000 },
        );
      }
    };
    await Promise.all([work(one, ["m1", "m2", "m3"]), work(other, ["m3", "m1", "m2"])]);
    const dots = (await one.log()).map(({ content }) => String(content).split(".").length - 1);
    expect(dots).toEqual([0, 2 * rounds, 2 * rounds, 2 * rounds]);
  });

  test("can be had for a message of any id", async () => {
    const place = makePlace();
    const [one, other] = [await sessionOn(place.open()), await sessionOn(place.open())];
    const ids = ["\u0000", "\ud800", "\\ud800", "'\"; --", "x".repeat(600), `${"x".repeat(600)}y`];
    await one.append(...ids.map((id) => ({ ...user("x"), id })));
    for (const id of ids) await one.lock(id, { holder: "anna" });
    await expect(other.update(ids[1] ?? "", (each) => each, { timeoutMs: 0 })).rejects.toMatchObject({
      code: "conflict",
    });
    for (const id of ids) {
      expect(await other.getHolder(id)).toBe("anna");
      expect(await other.unlock(id)).toBe(true);
      await other.mark(id, { important: true });
    }
    expect((await one.log()).every(({ important }) => important)).toBe(true);
  });

  test.each([
    ["", {}],
    [5, {}],
    ["m1", { holder: "" }],
    ["m1", { durationMs: 0 }],
    ["m1", { durationMs: Number.NaN }],
    ["m1", { timeoutMs: -1 }],
    ["m1", null],
  ])("%j with %j is refused", async (id, options) => {
    const session = await sessionOn(makePlace().open());
    await expect(session.lock(untyped(id), untyped(options))).rejects.toMatchObject({ code: "invalid-argument" });
  });
});

describe("without a store", () => {
  test("there are no locks, and that is said", async () => {
    const session = await sessionOn(undefined);
    await session.append(...chat(2));
    await expect(session.lock("m1")).rejects.toMatchObject({ code: "invalid-configuration" });
    await expect(session.unlock("m1")).rejects.toMatchObject({ code: "invalid-configuration" });
    await expect(session.isLocked("m1")).rejects.toMatchObject({ code: "invalid-configuration" });
    await expect(session.getHolder("m1")).rejects.toMatchObject({ code: "invalid-configuration" });
    await session.update("m1", reworded("works"));
  });
});
