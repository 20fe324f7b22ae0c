import { expect, test } from "vitest";
import { assistant, user } from "../../../test/support/messages.ts";
import { untyped } from "../../../test/support/sessions.ts";
import { engineOn, sessionOn } from "../../../test/support/stored-sessions.ts";
import { describeStores } from "../../../test/support/stores.ts";

await describeStores("appending to what was looked at", (makePlace) => {
  test("appends where nothing was done since, and gives what the session is then at one moment", async () => {
    const session = await sessionOn(makePlace().open());
    const before = await session.snapshot();
    expect(before).toMatchObject({ version: 0, log: [], view: [] });
    expect(await session.appendAfter(before.version, user("one"), assistant("two"))).toBe(true);
    const after = await session.snapshot();
    await session.append(user("three"));
    expect(after).toMatchObject({
      version: 2,
      log: [user("one"), assistant("two")],
      view: [user("one"), assistant("two")],
    });
  });

  test("of two who looked at the same moment, one appends and the other is told", async () => {
    const place = makePlace();
    const [one, other] = [await sessionOn(place.open()), await sessionOn(place.open())];
    const { version } = await one.snapshot();
    const outcomes = await Promise.all([one.appendAfter(version, user("a")), other.appendAfter(version, user("b"))]);
    expect(outcomes.toSorted()).toEqual([false, true]);
    expect((await one.snapshot()).log).toHaveLength(1);
    expect((await other.snapshot()).log).toEqual((await one.snapshot()).log);
  });

  test("what one calibrates holds for all who have the session open, and for its model alone", async () => {
    const place = makePlace();
    const [one, other] = [await sessionOn(place.open()), await sessionOn(place.open())];
    const long = user("some words of a file that was read, again and again. ".repeat(40));
    await one.append(long);
    const { report: before } = await other.prepare();
    await one.calibrate(1.5);
    const { report: after } = await other.prepare();
    expect(after.promptTokens / before.promptTokens).toBeCloseTo(1.5, 1);
    expect((await (await sessionOn(place.open())).snapshot()).tokenRatio).toBe(1.5);
    other.useModel({ model: "gpt-5" });
    expect((await other.snapshot()).tokenRatio).not.toBe(1.5);
    await expect(one.calibrate(0)).rejects.toThrow(/tokenRatio is 0/);
  });

  test("refuses a version that is none, and messages that are none, and stays as it was", async () => {
    const session = await sessionOn(makePlace().open());
    await expect(session.appendAfter(untyped("1"), user("a"))).rejects.toThrow(/version is "1"/);
    await expect(session.appendAfter(-1, user("a"))).rejects.toThrow(/version is -1/);
    await expect(session.appendAfter(0, untyped(5))).rejects.toThrow();
    expect(await session.version()).toBe(0);
  });

  test("a message is found in the store by its keys", async () => {
    const store = makePlace().open();
    const session = await engineOn(store).session("keyed");
    await session.append(
      { ...user("hello"), keys: ["m:00ff", "c:77"] },
      { ...user("fields of others"), keys: untyped(5) },
    );
    const found = async (key: string) =>
      (await store.search([key])).map(({ sessionId, version }) => [sessionId, version]);
    expect(await found("m:00ff")).toEqual([["keyed", 1]]);
    expect(await found("c:77")).toEqual([["keyed", 1]]);
    expect(await found("m:0")).toEqual([]);
  });
});
