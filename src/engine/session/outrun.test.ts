/** What a session does where someone else rewrites its log in the middle of it. */
import { expect, test } from "vitest";
import { interceptStore } from "../../../test/support/intercepted-store.ts";
import { user } from "../../../test/support/messages.ts";
import { problemsOf, talkOf } from "../../../test/support/sessions.ts";
import { reworded, sessionOn } from "../../../test/support/stored-sessions.ts";
import type { Session } from "../../index.ts";
import { memoryStore } from "../../stores/memory/index.ts";

const SAID = talkOf(30, 390);

/** A session that someone else rewrites right before each of its next `times` writes. */
async function outrunSession(times: number) {
  const store = memoryStore();
  const other = await sessionOn(store);
  await other.append(...SAID);
  let left = times;
  const before = async (call: string) => {
    if (call !== "append" || left === 0) return;
    left -= 1;
    await other.mark("m1", { important: left % 2 === 0 });
  };
  return sessionOn(interceptStore(store, { before }));
}

test("prepare folds again what the log is by then", async () => {
  const session = await outrunSession(3);
  const { messages, report } = await session.prepare();
  expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
  expect(report.foldIds).toHaveLength(1);
  expect(await session.view()).toEqual(messages);
  const marked = SAID.map((message) => (message.id === "m1" ? { ...message, important: true } : message));
  expect(await problemsOf(session, marked)).toEqual([]);
});

test("prepare says that others are in the way where that does not end, not that nothing can be folded", async () => {
  const session = await outrunSession(100);
  await expect(session.prepare()).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringMatching(/kept rewriting the session "task".*Try again/),
  });
  expect(await session.folds()).toEqual([]);
});

/** A session behind whose next write someone else does something; before it, they append a message. */
async function followedSession(follow: (other: Session) => Promise<unknown>): Promise<Session> {
  const store = memoryStore();
  const other = await sessionOn(store);
  await other.append(...SAID);
  let isFollowed = false;
  return sessionOn(
    interceptStore(store, {
      before: async (call) => {
        if (call === "append" && !isFollowed) await other.append(user("someone else"));
      },
      after: async (call) => {
        if (call !== "append" || isFollowed) return;
        isFollowed = true;
        await follow(other);
      },
    }),
  );
}

test("rewind gives its own version, also where someone else appends right behind it", async () => {
  const session = await followedSession((other) => other.append(user("behind")));
  const { version, toVersion } = await session.rewind({ toMessage: "m9" });
  const { records } = await session.export();
  expect(records[version - 1]).toMatchObject({ type: "rewind", toVersion });
  await session.rewind({ toVersion: version - 1 });
  expect(await session.log()).toEqual([...SAID, user("someone else")]);
});

test("update gives the messages that it changed, also where someone else folds right behind it", async () => {
  const session = await followedSession((other) => other.condense());
  const [changed] = await session.update("m29", reworded("changed"));
  expect(await session.folds()).toHaveLength(1);
  expect(changed).toMatchObject({ id: "m29", content: "changed" });
});
