import { describe, expect, test } from "vitest";
import { chat, user } from "../../../../test/support/messages.ts";
import type { Message } from "../../message/message.ts";
import { renderView } from "../view/render-view.ts";
import { compactSuccessively } from "./compact-successively.ts";

describe("compacting successively", () => {
  test("hands over the view before and what was said since, ten times, the last time at the end", () => {
    const seen: string[][] = [];
    const strategy = {
      name: "last two",
      compact(messages: readonly Message[]) {
        seen.push(messages.map(({ id }) => id ?? ""));
        return messages.slice(-2);
      },
    };
    const view = compactSuccessively(strategy, chat(40), 100);
    expect(seen).toHaveLength(10);
    expect(seen[0]).toEqual(["m0", "m1", "m2", "m3", "m4"]);
    expect(seen[1]).toEqual(["m3", "m4", "m5", "m6", "m7", "m8"]);
    expect(renderView(view)).toBe("[user]\nask 38\n[assistant]\nreply 39");
  });

  test("hands over a text as the message of a user", () => {
    const strategy = {
      name: "count",
      compact: (messages: readonly Message[]) => `${renderView(messages.slice(0, 1))}+${messages.length}`,
    };
    expect(compactSuccessively(strategy, chat(4), 100)).toMatch(/^\[user\]\n\[user\]\n/);
  });

  test("compacts a log without replies once", () => {
    let calls = 0;
    const strategy = { name: "none", compact: () => `${++calls}` };
    expect(compactSuccessively(strategy, [user("a"), user("b")], 100)).toBe("1");
    expect(compactSuccessively(strategy, [], 100)).toBe("2");
  });
});
