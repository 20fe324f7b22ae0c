import { describe, expect, test } from "vitest";
import type { Message } from "../message/message.ts";
import { type BodyDifference, explainCacheMiss, explainDifference } from "./describe-difference.ts";

const [CLOSE, COMMA] = [0x5d, 0x2c];
const said = (content: string): Message => ({ role: "user", content });
const asItCame = (...view: readonly Message[]) => ({ view, isAsItCame: true });
const rewritten = (...view: readonly Message[]) => ({ view, isAsItCame: false });
const difference = (fields: Partial<BodyDifference>): BodyDifference => ({
  byte: 1_234,
  path: ["messages", 1, "content"],
  excerpts: ["abc", "abd"],
  bytes: [0x63, 0x64],
  ...fields,
});
const LISTS = [["messages"], ["request", "contents"]];

describe("two requests that differ", () => {
  test("where the second only goes on have nobody to blame", () => {
    const both = [asItCame(said("a")), asItCame(said("a"), said("b"))] as const;
    const found = explainDifference(difference({ path: ["messages", 0], bytes: [CLOSE, COMMA] }), both, LISTS);
    expect(found).toMatchObject({ where: "end", cause: "none", item: 0 });
  });

  test("by a stand-in are our doing, and so they are where it was taken back", () => {
    const summary: Message = { ...said("Summary."), isSummary: true, condenseId: "c1" };
    const both = [asItCame(said("a")), rewritten(summary)] as const;
    expect(explainDifference(difference({}), both, LISTS)).toMatchObject({
      where: "message",
      cause: "us",
      foldId: "c1",
      message: summary,
    });
    expect(explainDifference(difference({}), [both[1], both[0]], LISTS)).toMatchObject({
      cause: "us",
      foldId: "c1",
      sentence: expect.stringContaining("undone"),
    });
  });

  test("by a fold that keeps a message before its stand-in are our doing too", () => {
    const summary: Message = { ...said("Summary."), isSummary: true, condenseId: "c1" };
    const both = [asItCame(said("a"), said("b"), said("c")), rewritten(said("b"), summary, said("c"))] as const;
    expect(explainDifference(difference({}), both, LISTS)).toMatchObject({ cause: "us", foldId: "c1" });
    expect(explainDifference(difference({}), [both[1], both[0]], LISTS)).toMatchObject({
      cause: "us",
      foldId: "c1",
      sentence: expect.stringContaining("undone"),
    });
  });

  test("in a list that lies deeper are found there", () => {
    const both = [asItCame(said("a")), asItCame(said("b"))] as const;
    const found = explainDifference(difference({ path: ["request", "contents", 3, "parts"] }), both, LISTS);
    expect(found).toMatchObject({ where: "message", item: 3, field: "request", cause: "agent" });
  });

  test("by the agent's words are the agent's, also in other fields", () => {
    const both = [asItCame(said("a")), asItCame(said("b"))] as const;
    expect(explainDifference(difference({}), both, LISTS)).toMatchObject({ where: "message", cause: "agent" });
    const inTools = explainDifference(difference({ path: ["tools", 2] }), both, LISTS);
    expect(inTools).toMatchObject({ where: "fields", field: "tools", cause: "agent", item: undefined });
    expect(inTools.sentence).toContain("1,234");
  });

  test("by a mark for the cache are nobody's where we may have written it: an agent moves its own at each turn", () => {
    const excerpts = ['"x"}', '"x","cache_control":'] as const;
    const same = said("a");
    const ours = explainDifference(difference({ excerpts }), [asItCame(same), rewritten(same)], LISTS);
    expect(ours).toMatchObject({ cause: "none", foldId: undefined });
    expect(ours.sentence).toContain("the agent's own, or ours");
    // A body that holds our fold, before and after it: the agent's mark on its newest message moved.
    const moved = explainDifference(difference({ excerpts }), [rewritten(same), rewritten(same)], LISTS);
    expect(moved.cause).toBe("none");
    expect(explainDifference(difference({ excerpts }), [asItCame(same), asItCame(same)], LISTS).cause).toBe("agent");
  });
});

test("a provider that read less than both requests share is told, with the pause where that explains it", () => {
  const report = { cacheReadTokens: 0, sharedTokens: 20_000, pauseMs: 1_000, cacheTtlMs: 300_000 };
  expect(explainCacheMiss(report)).toContain("should still have had them");
  expect(explainCacheMiss({ ...report, pauseMs: 600_000 })).toContain("10 minutes lie between them");
  expect(explainCacheMiss({ ...report, cacheReadTokens: 19_000 })).toBeUndefined();
  expect(explainCacheMiss({ ...report, sharedTokens: 500 })).toBeUndefined();
  expect(explainCacheMiss({ ...report, cacheTtlMs: 0 })).toBeUndefined();
});
