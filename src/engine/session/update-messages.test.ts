import { expect, test, vi } from "vitest";
import { disturbStore, interceptStore } from "../../../test/support/intercepted-store.ts";
import { assistant, chat, user } from "../../../test/support/messages.ts";
import { talkOf, toolLoop, untyped } from "../../../test/support/sessions.ts";
import { reworded, seen, sessionOn, shown } from "../../../test/support/stored-sessions.ts";
import { describeSessions, describeStores } from "../../../test/support/stores.ts";
import type { Message } from "../../index.ts";
import { memoryStore } from "../../stores/memory/index.ts";

await describeSessions("updating messages", (makePlace) => {
  async function open(messages: readonly Message[] = chat(4)) {
    const store = makePlace().open();
    const session = await sessionOn(store);
    await session.append(...messages);
    /** What is read by who opens it anew. */
    const reopened = async () => (store === undefined ? session : sessionOn(store));
    return { session, reopened };
  }

  test("changes them, returns what they are now, and is seen by who opens the session again", async () => {
    const { session, reopened } = await open();
    const [changed] = await session.update("m1", reworded("other words"));
    expect(changed).toEqual({ ...chat(4)[1], content: "other words" });
    expect((await session.log())[1]).toEqual(changed);
    expect(await seen(await reopened())).toEqual(await seen(session));
    expect(await session.events()).toEqual([{ type: "updated", at: 0, messageIds: ["m1"] }]);
  });

  test("names a message without an id by its place, or by the number that ledgers give it", async () => {
    const { session, reopened } = await open([user("same"), assistant("between"), user("same")]);
    await session.update("#1", (messages) => messages.map((message) => ({ ...message, content: "other words" })));
    await session.mark("m2", { important: true });
    expect((await session.log()).map(({ content, important }) => [content, important])).toEqual([
      ["same", undefined],
      ["other words", undefined],
      ["same", true],
    ]);
    expect(await session.events()).toMatchObject([{ messageIds: ["#1"] }, { messageIds: ["#2"] }]);
    expect(await seen(await reopened())).toEqual(await seen(session));
    for (const unknown of ["#3", "m3", "#01x"]) {
      await expect(session.mark(unknown, { important: true })).rejects.toMatchObject({ code: "not-found" });
    }
  });

  test("of several gives them in the order asked for, and changes all or none", async () => {
    const { session } = await open();
    const asked: (string | undefined)[] = [];
    await session.update(["m3", "m0"], (messages) => {
      asked.push(...messages.map(({ id }) => id));
      return reworded("both")(messages);
    });
    expect(asked).toEqual(["m3", "m0"]);
    expect((await session.log()).map(({ content }) => content)).toEqual(["both", "reply 1", "ask 2", "both"]);
    const before = await seen(session);
    await expect(session.update(["m0", "nobody"], reworded("x"))).rejects.toMatchObject({ code: "not-found" });
    const broken = (messages: readonly Message[]) => [{ ...user("x"), id: "m0" }, ...messages.slice(2)];
    await expect(session.update(["m0", "m1"], broken)).rejects.toMatchObject({ code: "invalid-argument" });
    await expect(
      session.update("m0", () => {
        throw new Error("changed my mind");
      }),
    ).rejects.toThrow("changed my mind");
    expect(await seen(session)).toEqual(before);
  });

  test.each([
    ["another id", [{ ...user("x"), id: "m9" }], "invalid-argument"],
    ["no id", [user("x")], "invalid-argument"],
    ["too few", [], "invalid-argument"],
    ["too many", [{ ...user("x"), id: "m1" }, user("y")], "invalid-argument"],
    ["no message", [{ role: "system", content: "x", id: "m1" }], "invalid-message"],
    ["a promise", Promise.resolve([]), "invalid-message"],
  ])("to %s is refused", async (_, given, code) => {
    const { session } = await open();
    await expect(session.update("m1", () => untyped(given))).rejects.toMatchObject({ code });
    expect(await session.log()).toEqual(chat(4));
  });

  test.each([[[]], [["m1", "m1"]], ["nobody"], [[undefined]]])("of %j is refused", async (ids) => {
    const { session } = await open();
    await expect(session.update(untyped(ids), (messages) => messages)).rejects.toMatchObject({
      code: expect.stringMatching(/^(invalid-argument|not-found)$/),
    });
  });

  test("cannot make, change or undo folds", async () => {
    const { session } = await open(toolLoop(30, 300));
    await session.prepare();
    const folded = (await session.log()).find(({ folds }) => folds !== undefined);
    await session.append(...talkOf(4, 10).map((message, index) => ({ ...message, id: `n${index}` })));
    await session.condense();
    const hidden = (await session.log()).find(({ condenseParent }) => condenseParent !== undefined);
    const before = await shown(session);
    for (const id of [folded?.id ?? "", hidden?.id ?? "", "n3"]) {
      const [returned] = await session.update(id, (messages) =>
        messages.map(({ folds: _, condenseParent: __, ...rest }) => ({
          ...rest,
          isTruncationMarker: true,
          truncationId: "forged",
          truncationParent: "forged",
        })),
      );
      expect(returned).toEqual((await session.log()).find((message) => message.id === id));
    }
    expect((await shown(session)).view).toBe(before.view);
    expect(JSON.parse((await shown(session)).log)).toEqual(JSON.parse(before.log));
  });

  test("takes a field away where the change leaves it out or makes it undefined", async () => {
    const { session, reopened } = await open([{ ...user("x"), id: "a", important: true, ts: 5 }]);
    await session.update("a", (messages) => messages.map((message) => untyped({ ...message, important: undefined })));
    await session.update("a", (messages) => messages.map(({ ts: _, ...rest }) => rest));
    for (const each of [session, await reopened()]) {
      expect(JSON.stringify(await each.log())).toBe('[{"role":"user","content":"x","id":"a"}]');
    }
  });

  test("of an id that several messages have changes the newest alone", async () => {
    const twice: Message = { ...user("same"), id: "x" };
    const { session } = await open([twice, assistant("between"), twice]);
    await session.append(twice, twice);
    await session.update("x", reworded("changed"));
    const contents = (await session.log()).map(({ content }) => content);
    expect(contents).toEqual(["same", "between", "same", "same", "changed"]);
  });

  test("is taken back by rewinding, and is in a branch", async () => {
    const { session } = await open();
    const before = { version: await session.version(), ...(await shown(session)) };
    await session.update("m1", reworded("other words"));
    const branch = await session.branch("branch");
    await session.rewind({ toVersion: before.version });
    expect(await shown(session)).toEqual({ log: before.log, view: before.view });
    expect((await branch.log())[1]).toMatchObject({ content: "other words" });
  });

  test("many at once within one engine are done one after the other, and none is lost", async () => {
    const { session } = await open([{ ...user("0"), id: "counter" }]);
    const add = (messages: readonly Message[]) =>
      messages.map((each) => ({ ...each, content: `${+each.content + 1}` }));
    await Promise.all(Array.from({ length: 20 }, () => session.update("counter", add, { timeoutMs: 300_000 })));
    expect((await session.log())[0]).toMatchObject({ content: "20" });
  });
});

await describeStores("updating messages in two engines", (makePlace) => {
  const add = (messages: readonly Message[]) => messages.map((each) => ({ ...each, content: `${+each.content + 1}` }));

  test("fifty times each loses none of the hundred updates", async () => {
    const place = makePlace();
    const sessions = [await sessionOn(place.open()), await sessionOn(place.open())];
    await sessions[0]?.append({ ...user("0"), id: "counter" }, assistant("reply"));
    await Promise.all(
      sessions.map(async (session) => {
        for (let index = 0; index < 50; index++) await session.update("counter", add, { timeoutMs: 300_000 });
      }),
    );
    for (const session of sessions) expect((await session.log())[0]).toMatchObject({ content: "100" });
  });

  test("asks again with what the messages are by then, where the other rewrote the log meanwhile", async () => {
    const place = makePlace();
    const store = disturbStore(place.open());
    const [one, other] = [await sessionOn(store), await sessionOn(place.open())];
    await one.append({ ...user("0"), id: "counter" }, ...chat(4));
    await other.update("counter", reworded("7"));
    await other.rewind({ toMessage: "m3" });
    const asked: unknown[] = [];
    // A rewind takes no lock, and its undoing brings the seven back.
    store.disturbNext("append", () => other.rewind({ undo: true }));
    await one.update("counter", (messages) => {
      asked.push(messages[0]?.content);
      return add(messages);
    });
    expect(asked).toEqual(["0", "7"]);
    expect((await other.log()).map(({ content }) => content)).toEqual(["8", "ask 0", "reply 1", "ask 2", "reply 3"]);
  });

  test("gives up after three tries, says so, and leaves the log and its locks to the others", async () => {
    const place = makePlace();
    const other = await sessionOn(place.open());
    const store = interceptStore(place.open(), {
      before: async (call) => {
        if (call !== "append" || !isDisturbed) return;
        important = !important;
        await other.mark("m3", { important });
      },
    });
    let [isDisturbed, important] = [false, false];
    const one = await sessionOn(store);
    await one.append(...chat(4));
    isDisturbed = true;
    await expect(one.update("m0", reworded("never"))).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringMatching(/3 tries to change m0/),
    });
    isDisturbed = false;
    expect((await other.log())[0]).toEqual(chat(4)[0]);
    await other.update("m0", reworded("free"), { timeoutMs: 0 });
    expect((await one.log())[0]).toMatchObject({ content: "free" });
  });
});

test("waits 100 and 200 ms between its tries", async () => {
  const store = memoryStore();
  const other = await sessionOn(store);
  let important = false;
  const one = await sessionOn(
    interceptStore(store, {
      before: async (call) => {
        if (call !== "append") return;
        important = !important;
        await other.mark("m3", { important });
      },
    }),
  );
  await other.append(...chat(4));
  const timers = vi.spyOn(globalThis, "setTimeout");
  try {
    await expect(one.update("m0", reworded("never"))).rejects.toMatchObject({ code: "conflict" });
    expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([100, 200]);
  } finally {
    timers.mockRestore();
  }
});
