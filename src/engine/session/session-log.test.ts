import { describe, expect, test } from "vitest";
import { chat, condense, user } from "../../../test/support/messages.ts";
import { countContentTokens } from "../../index.ts";
import { createSessionLog } from "./session-log.ts";

describe("a session's log", () => {
  const folded = condense(chat(4), "c1", ["m1", "m2"]);

  test("takes a folded form of what it was, and keeps what was appended since", () => {
    const log = createSessionLog(chat(4), countContentTokens);
    const base = log.state();
    log.append([user("since")]);
    expect(log.commit(base, folded)).toBe(true);
    expect(log.messages()).toEqual([...folded, user("since")]);
    expect(log.view().map((message) => message.id)).toEqual(["m0", "c1", "m3", undefined]);
  });

  test("refuses a folded form of what it no longer is", () => {
    const log = createSessionLog(chat(4), countContentTokens);
    const base = log.state();
    expect(log.commit(base, folded)).toBe(true);
    expect(log.commit(base, chat(4))).toBe(false);
    expect(log.messages()).toEqual(folded);
  });

  test("is rewritten by a summary that is appended, for it hides what came before", () => {
    const log = createSessionLog([], countContentTokens);
    const [first, second, third, summary] = folded;
    expect(log.append([first, second, third].filter((message) => message !== undefined))).toBe(false);
    const base = log.state();
    expect(log.append(summary === undefined ? [] : [summary])).toBe(true);
    expect(log.view().map((message) => message.id)).toEqual(["m0", "c1"]);
    expect(log.commit(base, base.messages)).toBe(false);
  });

  test("gives out the same arrays until it changes, and they never change", () => {
    const log = createSessionLog(chat(2), countContentTokens);
    const [messages, view] = [log.messages(), log.view()];
    expect([log.messages(), log.view()]).toEqual([messages, view]);
    expect(log.messages()).toBe(messages);
    log.append([user("more")]);
    expect([messages.length, view.length, log.messages().length]).toEqual([2, 2, 3]);
  });
});
