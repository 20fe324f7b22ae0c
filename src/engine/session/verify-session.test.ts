import { expect, test } from "vitest";
import { talkOf } from "../../../test/support/sessions.ts";
import { engineOn, reworded, sessionOn } from "../../../test/support/stored-sessions.ts";
import { describeStores } from "../../../test/support/stores.ts";

await describeStores("verifying a session", (makePlace) => {
  test("is intact after every operation, and each earlier head is still its beginning", async () => {
    const session = await sessionOn(makePlace().open());
    const heads: string[] = [];
    const steps: readonly (() => Promise<unknown>)[] = [
      () => session.append(...talkOf(20, 390)),
      () => session.prepare(),
      () => session.condense(),
      () => session.mark("m1", { important: true }),
      () => session.update("m2", reworded("another")),
      () => session.rewind({ toMessage: "m9" }),
      () => session.append({ role: "user", content: "and on", id: "on" }),
      () => session.rewind({ toVersion: 20 }),
      () => session.rewind({ undo: true }),
    ];
    for (const step of steps) {
      await step();
      const verified = await session.verify();
      expect(verified).toMatchObject({ type: "intact", records: await session.version() });
      if (verified.type === "intact") heads.push(verified.head);
    }
    expect(new Set(heads).size).toBeGreaterThan(7);
    for (const head of heads) expect(await session.verify({ head })).toMatchObject({ type: "intact" });
  });

  test("two engines that append at the same time write one chain", async () => {
    const place = makePlace();
    const [one, other] = [await sessionOn(place.open()), await sessionOn(place.open())];
    const said = talkOf(30, 50);
    await Promise.all(said.flatMap((message) => [one.append(message), other.append(message, message)]));
    await one.append({ role: "user", content: "the end" });
    const verified = await other.verify();
    expect(verified).toMatchObject({ type: "intact", messages: 91, records: 91 });
    expect(await one.verify()).toEqual(verified);
  });

  test("branches and imports begin a chain of their own", async () => {
    const place = makePlace();
    const session = await sessionOn(place.open());
    await session.append(...talkOf(10, 100));
    await session.append({ role: "user", content: "once more", id: "more" });
    const engine = engineOn(place.open());
    const branch = await session.branch("branch", { toMessage: "m4" });
    const imported = await engine.importSession(await session.export(), { id: "imported" });
    for (const each of [branch, imported]) {
      const records = await each.version();
      expect(await each.verify()).toMatchObject({ type: "intact", records, links: records });
    }
  });

  test("a branch that begins between a mark and its event is intact", async () => {
    const session = await sessionOn(makePlace().open());
    await session.append(...talkOf(4, 50));
    await session.mark("m1", { important: true });
    const branch = await session.branch("branch", { toVersion: (await session.version()) - 1 });
    expect((await branch.log()).find(({ id }) => id === "m1")?.important).toBe(true);
    expect(await branch.verify()).toMatchObject({ type: "intact", messages: 4 });
  });

  test("a branch that begins between an update and its event is intact, also where a rewind led there", async () => {
    const session = await sessionOn(makePlace().open());
    await session.append(...talkOf(4, 50));
    await session.update("m2", reworded("another"));
    const toVersion = (await session.version()) - 1;
    const branch = await session.branch("branch", { toVersion });
    await session.rewind({ toVersion });
    const later = await session.branch("later");
    for (const each of [branch, later]) {
      expect((await each.log()).find(({ id }) => id === "m2")).toMatchObject({ content: "another" });
      expect(await each.verify()).toMatchObject({ type: "intact", messages: 4 });
      expect((await each.events()).filter(({ type }) => type === "updated")).toHaveLength(1);
    }
  });

  test("another session's head is refused", async () => {
    const store = makePlace().open();
    const [one, other] = [await engineOn(store).session("one"), await engineOn(store).session("other")];
    await one.append({ role: "user", content: "one" });
    await other.append({ role: "user", content: "other" });
    const verified = await other.verify();
    const head = verified.type === "intact" ? verified.head : "";
    expect(await one.verify({ head })).toMatchObject({ type: "damaged", problem: expect.stringContaining(head) });
    await expect(one.verify({ head: "" })).rejects.toMatchObject({ code: "invalid-argument" });
  });
});

test("without a store there is nothing to verify", async () => {
  await expect((await sessionOn(undefined)).verify()).rejects.toMatchObject({ code: "invalid-configuration" });
});
