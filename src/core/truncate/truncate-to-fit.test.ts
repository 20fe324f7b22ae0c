import { describe, expect, test } from "vitest";
import { assistant, call, chat, condense, ids, log, result, tag, text, user } from "../../../test/support/messages.ts";
import { restoreAllMessages } from "../history/restore.ts";
import { effectiveView } from "../message/effective-view.ts";
import type { Content, Message } from "../message/message.ts";
import { validateView } from "../message/validate-view.ts";
import { countMessagesTokens } from "../tokens/count-messages.ts";
import type { FitOptions } from "./fit-options.ts";
import { truncateToFit } from "./truncate-to-fit.ts";

/** A token per character of JSON: budgets in these tests can be worked out by hand. */
function countTokens(content: Content): number {
  return typeof content === "string" ? content.length : JSON.stringify(content).length;
}

function bringUnder(messages: readonly Message[], options: Omit<FitOptions, "countTokens">) {
  const fitted = truncateToFit(messages, { ...options, countTokens });
  const view = effectiveView(fitted.messages);
  expect(fitted.tokens).toBe(countMessagesTokens(view, countTokens));
  expect(restoreAllMessages(fitted.messages)).toEqual(messages);
  return { ...fitted, view };
}

/** Alternating messages of 100 characters each. */
function longChat(length: number): readonly Message[] {
  return log(...chat(length).map((message) => ({ ...message, content: String(message.content).padEnd(100, ".") })));
}

describe("what fits", () => {
  test("comes back as the same array, exactly at the limit too", () => {
    const messages = longChat(4);
    expect(bringUnder(messages, { allowedTokens: 400 })).toMatchObject({ type: "unchanged", tokens: 400 });
    expect(truncateToFit(messages, { allowedTokens: 400, countTokens }).messages).toBe(messages);
  });
});

describe("what was decided", () => {
  const decided = "We decided to use PostgreSQL for the sessions.".padEnd(100, ".");
  const withDecisions = (messages: readonly Message[], ...places: readonly number[]) =>
    messages.map((message, index) => (places.includes(index) ? { ...message, content: decided } : message));

  test("stays where younger messages can go in its place", () => {
    const { view } = bringUnder(withDecisions(longChat(12), 3), { allowedTokens: 1_000 });
    expect(ids(view)).toContain("m3");
    expect(ids(view)).not.toContain("m4");
  });

  test("goes where nothing else is left to go", () => {
    const messages = withDecisions(longChat(12), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    const { type, tokens } = bringUnder(messages, { allowedTokens: 400 });
    expect(type).toBe("folded");
    expect(tokens).toBeLessThanOrEqual(400);
  });

  test("stays only where it is short, and only the newest of many", () => {
    const long = longChat(12).map((message, index) =>
      index === 3 ? { ...message, content: decided.repeat(4) } : message,
    );
    expect(ids(bringUnder(long, { allowedTokens: 1_000 }).view)).not.toContain("m3");
    const many = withDecisions(longChat(30), ...Array.from({ length: 20 }, (_, index) => index + 1));
    expect(ids(bringUnder(many, { allowedTokens: 2_000 }).view)).not.toContain("m1");
  });
});

describe("hiding", () => {
  test("takes the fewest of the oldest that reach the target", () => {
    const { view, tokens } = bringUnder(longChat(12), { allowedTokens: 1_000 });
    expect(ids(view)).toEqual(["m0", expect.stringMatching(/^truncate-/), "m7", "m8", "m9", "m10", "m11"]);
    expect(tokens).toBeGreaterThan(700 - 100);
    expect(tokens).toBeLessThanOrEqual(700);
  });

  test("takes the older half, and again, until the target is reached, when asked for a fraction", () => {
    const selection = { type: "fraction" } as const;
    const once = bringUnder(longChat(12), { allowedTokens: 1_000, targetTokens: 1_000, selection });
    expect(once).toMatchObject({ type: "folded", messagesHidden: 5 });
    const twice = bringUnder(longChat(12), { allowedTokens: 600, targetTokens: 600, selection });
    expect(twice).toMatchObject({ type: "folded", messagesHidden: 7 });
    expect(ids(twice.view)).toEqual(["m0", expect.stringMatching(/^truncate-/), "m8", "m9", "m10", "m11"]);
  });

  test("goes on to the target once it is needed", () => {
    const { tokens } = bringUnder(longChat(40), { allowedTokens: 3_900, targetTokens: 1_000 });
    expect(tokens).toBeLessThanOrEqual(1_000);
  });

  test("keeps the last messages when asked for a number of them", () => {
    const { view } = bringUnder(longChat(50), { allowedTokens: 4_000, selection: { type: "keepLast" } });
    expect(ids(view).slice(2)).toEqual(Array.from({ length: 20 }, (_, index) => `m${30 + index}`));
    const fewer = bringUnder(longChat(50), { allowedTokens: 4_000, selection: { type: "keepLast", count: 5 } });
    expect(ids(fewer.view).slice(2)).toEqual(["m45", "m46", "m47", "m48", "m49"]);
    const tooMany = bringUnder(longChat(50), { allowedTokens: 1_000, selection: { type: "keepLast" } });
    expect(tooMany).toMatchObject({ type: "folded" });
  });

  test("hides an older marker with what is around it, so that markers do not pile up", () => {
    let messages = longChat(30);
    for (const allowedTokens of [2_000, 1_200, 700]) {
      const folded = truncateToFit(messages, { allowedTokens, countTokens });
      messages = folded.messages;
    }
    const markers = effectiveView(messages).filter((message) => message.isTruncationMarker);
    expect(markers).toHaveLength(1);
    expect(restoreAllMessages(messages)).toEqual(longChat(30));
  });

  test("keeps important messages while others can go instead, and hides them when nothing else is left", () => {
    const messages = longChat(12).map((message) => (message.id === "m3" ? tag(message, { important: true }) : message));
    expect(ids(bringUnder(messages, { allowedTokens: 500 }).view)).toContain("m3");
    const allImportant = longChat(40).map((message) => tag(message, { important: true }));
    expect(bringUnder(allImportant, { allowedTokens: 900 })).toMatchObject({ type: "folded" });
  });
});

describe("failures known from other systems", () => {
  test("truncation that counts already-hidden messages and does not shrink the view", () => {
    const hidden = Array.from({ length: 20 }, (_, index) => `m${index + 1}`);
    const messages = condense(longChat(30), "s1", hidden);
    const before = countMessagesTokens(effectiveView(messages), countTokens);
    const fitted = truncateToFit(messages, { allowedTokens: before / 2, countTokens });
    expect(fitted.type).toBe("folded");
    expect(fitted.tokens).toBeLessThanOrEqual(before / 2);
  });

  test("one oversized last message left as it is", () => {
    const { type, view } = bringUnder(log(user("look"), assistant("ok"), user("x".repeat(50_000))), {
      allowedTokens: 2_000,
    });
    expect(type).toBe("folded");
    expect(String(view.at(-1)?.content)).toMatch(/^x+[^x]+clip-\w+[^x]+x+$/s);
  });

  test("one extra user message shifting parity so that an orphan tool result stays", () => {
    const turns = Array.from({ length: 10 }, (_, index) => [
      assistant(call(`t${index}`)),
      user(result(`t${index}`, "r".repeat(100))),
    ]);
    const messages = log(user("go"), user("and hurry"), ...turns.flat());
    for (let allowedTokens = 400; allowedTokens < 2_200; allowedTokens += 50) {
      const { type, view } = bringUnder(messages, { allowedTokens });
      expect(type).toBe("folded");
      expect(validateView(view)).toEqual([]);
    }
  });

  test("a single pass that leaves the view over the limit", () => {
    const messages = log(...longChat(20).slice(0, -1), user("y".repeat(900)));
    const { type, tokens } = bringUnder(messages, { allowedTokens: 1_300 });
    expect(type).toBe("folded");
    expect(tokens).toBeLessThanOrEqual(1_300);
  });

  test("a zero-progress truncation that claims success", () => {
    const result = truncateToFit(chat(3), { allowedTokens: 1, countTokens });
    expect(result.type).toBe("cannot-fit");
    expect(result.tokens).toBeGreaterThan(1);
    expect(result.messages).toHaveLength(3);
  });
});

test("an oversized result leaves half of the room to the history before it", () => {
  const turns = [assistant(call("big")), user(result("big", "z".repeat(100_000)))];
  const { view, tokens } = bringUnder(log(...longChat(8), ...turns), { allowedTokens: 2_000 });
  expect(tokens).toBeLessThanOrEqual(2_000);
  expect(ids(view)).toContain("m6");
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])("a budget of %s is refused", (allowedTokens) => {
  expect(() => truncateToFit(chat(3), { allowedTokens, countTokens })).toThrow(
    expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining("allowedTokens") }),
  );
});

test("an empty log fits anywhere", () => {
  expect(bringUnder([], { allowedTokens: 0 })).toMatchObject({ type: "unchanged", tokens: 0 });
});

test("an oversized last turn gets all the room that a short history leaves", () => {
  const messages = log(user("look"), assistant("ok"), user("x".repeat(50_000)));
  expect(bringUnder(messages, { allowedTokens: 2_000, targetTokens: 2_000 }).tokens).toBeGreaterThan(1_900);
});

test("a target above the limit is no excuse to stay over the limit", () => {
  expect(bringUnder(longChat(30), { allowedTokens: 1_000, targetTokens: 9_000 })).toMatchObject({ type: "folded" });
});

test("a marker is never clipped: it names its fold to the last", () => {
  const messages = log(...longChat(20).slice(0, -1), user("x".repeat(5_000)));
  const { view } = bringUnder(messages, { allowedTokens: 400 });
  const marker = view.find((message) => message.isTruncationMarker);
  expect(marker?.content).toContain(marker?.truncationId);
});

test.each([
  [{ type: "fraction", fracToRemove: Number.NaN } as const, "selection.fracToRemove"],
  [{ type: "fraction", fracToRemove: 5 } as const, "selection.fracToRemove"],
  [{ type: "keepLast", count: -1 } as const, "selection.count"],
])("a selection of %o is refused", (selection, field) => {
  expect(() => truncateToFit(chat(3), { allowedTokens: 10, countTokens, selection })).toThrow(
    expect.objectContaining({ code: "invalid-argument", message: expect.stringContaining(field) }),
  );
});

describe("markers", () => {
  const marker = (id: string, after: string) =>
    tag(user(`[1 earlier message: hidden in fold ${id}]`), {
      id,
      isTruncationMarker: true,
      truncationId: id,
      ts: after.length,
    });

  test("that are all there is to hide are hidden behind one", () => {
    const [first, second, third, last] = longChat(4);
    if (first === undefined || second === undefined || third === undefined || last === undefined) throw new Error();
    const hidden = [tag(second, { truncationParent: "a" }), tag(third, { truncationParent: "b" })];
    const messages = [first, ...hidden, marker("a", "x"), marker("b", "xx"), last];
    const fitted = truncateToFit(messages, { allowedTokens: 270, countTokens });
    const view = effectiveView(fitted.messages);
    expect(view.filter(({ isTruncationMarker }) => isTruncationMarker)).toHaveLength(1);
  });
});

describe("what binds", () => {
  const GUIDE = `<system-reminder>\nInstructions from: /repo/AGENTS.md\n${"No tabs. ".repeat(20)}\n</system-reminder>`;
  const plan = [assistant(call("p", "TodoWrite", { todos: ["paint the mast"] })), user(result("p", "ok"))];
  const turn = (id: string, output: string) => [assistant(call(id)), user(result(id, output))];

  test("stays whole where it is a part of a result that is larger than the room", () => {
    const messages = log(user("go"), ...turn("a", `${"z".repeat(9_000)}\n\n${GUIDE}\n${"z".repeat(9_000)}`));
    const { type, view } = bringUnder(messages, { allowedTokens: 2_000 });
    expect(type).toBe("folded");
    expect(JSON.stringify(view)).toContain(JSON.stringify(GUIDE).slice(1, -1));
  });

  test("stays whole where it is a part of one item of a list that is larger than the room", () => {
    const listed = { ...result("a"), content: [text("z".repeat(9_000)), text(`${GUIDE}\n${"z".repeat(9_000)}`)] };
    const messages = log(user("go"), ...plan, assistant(call("a")), user(listed));
    const { type, view } = bringUnder(messages, { allowedTokens: 2_000 });
    expect(type).toBe("folded");
    expect(JSON.stringify(view)).toContain(JSON.stringify(GUIDE).slice(1, -1));
    expect(JSON.stringify(view)).toContain("paint the mast");
  });

  test("stays below the stub of an older result, of a list too", () => {
    const listed = { ...result("a"), content: [text("z".repeat(9_000)), text(GUIDE)] };
    const messages = log(user("go"), assistant(call("a")), user(listed), ...plan, ...turn("b", "y"));
    const { view } = bringUnder(messages, { allowedTokens: 2_000 });
    expect(JSON.stringify(view)).toContain(JSON.stringify(GUIDE).slice(1, -1));
    expect(JSON.stringify(view)).not.toContain("zzzzz");
  });

  test("stays whole in the current turn while one block in it takes more than half of the room", () => {
    const environment = { ...text("e".repeat(6_000)), role: "system" };
    const guide = text(
      `<system-reminder>\nContents of /repo/CLAUDE.md:\n${"No tabs. ".repeat(150)}\n</system-reminder>`,
    );
    const messages = log(user(guide, text("Read every note."), environment));
    const { view } = bringUnder(messages, { allowedTokens: 3_500 });
    expect(JSON.stringify(view)).toContain(JSON.stringify(guide.text).slice(1, -1));
    expect(JSON.stringify(view)).toContain("Read every note.");
  });

  test("stays where it is enough to shorten an old summary", () => {
    const summarized = condense(longChat(6), "s", ["m1", "m2", "m3", "m4", "m5"]).map((message) =>
      message.id === "s" ? { ...message, content: "s".repeat(1_000) } : message,
    );
    const next = [...plan, ...turn("b", "y".repeat(1_500))];
    const messages = [...summarized, ...next.map((message, index) => ({ id: `n${index}`, ts: 9_000, ...message }))];
    const tokens = countMessagesTokens(effectiveView(messages), countTokens);
    const fitted = truncateToFit(messages, { allowedTokens: tokens - 500, targetTokens: tokens - 500, countTokens });
    const view = JSON.stringify(effectiveView(fitted.messages));
    expect(view).toContain("paint the mast");
    expect(view).not.toContain("s".repeat(700));
  });
});
