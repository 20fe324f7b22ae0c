import { describe, expect, test } from "vitest";
import { chat, condense, user } from "../../../test/support/messages.ts";
import { countContentTokens } from "../../core/index.ts";
import type { Message } from "../../index.ts";
import { localJournal } from "./journal/journal.ts";
import { openSessionLog } from "./session-log.ts";

async function openLog(messages: readonly Message[]) {
  let rewrites = 0;
  const log = await openSessionLog({
    sessionId: "task",
    journal: localJournal(),
    countTokens: countContentTokens,
    onRewrite: () => {
      rewrites += 1;
    },
  });
  await log.append(messages);
  return { log, rewrites: () => rewrites };
}

describe("a session's log", () => {
  const folded = condense(chat(4), "c1", ["m1", "m2"]);

  test("takes a folded form of what it was, and keeps what was appended since", async () => {
    const { log, rewrites } = await openLog(chat(4));
    const base = await log.whole();
    await log.append([user("since")]);
    expect(await log.commit(base, folded)).toBe(true);
    expect((await log.whole()).messages).toEqual([...folded, user("since")]);
    expect(log.view().map((message) => message.id)).toEqual(["m0", "c1", "m3", undefined]);
    expect(rewrites()).toBe(1);
  });

  test("refuses a folded form of what it no longer is", async () => {
    const { log } = await openLog(chat(4));
    const base = await log.whole();
    expect(await log.commit(base, folded)).toBe(true);
    expect(await log.commit(base, chat(4))).toBe(false);
    expect((await log.whole()).messages).toEqual(folded);
  });

  test("refuses what is no fold, and stays as it was", async () => {
    const { log } = await openLog(chat(4));
    const base = await log.whole();
    expect(() => log.commit(base, chat(3))).toThrow("would be lost, moved or replaced");
    expect((await log.whole()).messages).toEqual(chat(4));
  });

  test("is rewritten by a summary that is appended, for it hides what came before", async () => {
    const { log, rewrites } = await openLog(folded.slice(0, 3));
    const base = await log.whole();
    await log.append(folded.slice(3, 4));
    expect(rewrites()).toBe(1);
    expect(log.view().map((message) => message.id)).toEqual(["m0", "c1"]);
    expect(await log.commit(base, base.messages)).toBe(false);
  });

  test("gives out the same arrays until it changes, and they never change", async () => {
    const { log } = await openLog(chat(2));
    const [messages, view] = [(await log.whole()).messages, log.view()];
    expect([(await log.whole()).messages, log.view()]).toEqual([messages, view]);
    expect((await log.whole()).messages).toBe(messages);
    await log.append([user("more")]);
    expect([messages.length, view.length, (await log.whole()).messages.length]).toEqual([2, 2, 3]);
  });
});
