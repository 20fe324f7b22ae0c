import { describe, expect, test } from "vitest";
import { sized } from "../../../test/chaos/chaos-size.ts";
import {
  assistant,
  call,
  chat,
  condense,
  deepFreeze,
  ids,
  log,
  result,
  tag,
  talk,
  truncate,
  user,
} from "../../../test/support/messages.ts";
import { PalimpsestError } from "../errors.ts";
import { restoreAllMessages, restoreMessages } from "../history/restore.ts";
import { effectiveView, getEffectiveApiHistory } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { validateView } from "../message/validate-view.ts";
import { type TruncationResult, truncateConversation } from "./truncate-conversation.ts";

/** The ids of the view, with a marker shown as "…" and the number of messages that it hides. */
function outline({ messages }: Pick<TruncationResult, "messages">): string {
  return effectiveView(messages)
    .map((message) => {
      if (message.isTruncationMarker !== true) return message.id;
      return `…${messages.filter((each) => each.truncationParent === message.truncationId).length}`;
    })
    .join(" ");
}

const important = (message: Message) => tag(message, { important: true });

describe("how many messages go", () => {
  test.each([
    // visible, fraction, removed
    [0, 0.5, 0],
    [1, 1, 0],
    [2, 0.5, 0],
    [2, 1, 0],
    [3, 0.5, 0],
    [3, 1, 2],
    [4, 0.5, 0],
    [4, 1, 2],
    [5, 0.5, 2],
    [6, 0.5, 2],
    [7, 0.5, 2],
    [9, 0.5, 4],
    [10, 0.5, 4],
    [11, 0.5, 4],
    [12, 0.5, 4],
    [13, 0.5, 6],
    [21, 0.25, 4],
    [21, 0.3, 6],
    [21, 0.75, 14],
    [101, 0.5, 50],
    [101, 0, 0],
    [101, 1, 100],
  ])("of %i visible, a fraction of %f: %i", (visible, fracToRemove, removed) => {
    const messages = chat(visible);
    const truncated = truncateConversation(messages, fracToRemove, "task");
    expect(truncated.messagesRemoved).toBe(removed);
    expect(truncated.messages.filter((message) => message.truncationParent !== undefined)).toHaveLength(removed);
    expect(truncated.messages).toHaveLength(visible + (removed === 0 ? 0 : 1));
    expect(restoreAllMessages(truncated.messages)).toEqual(messages);
  });

  test("the first message stays, and the oldest after it go", () => {
    expect(outline(truncateConversation(chat(9), 0.5, "task"))).toBe("m0 …4 m5 m6 m7 m8");
  });

  test("nothing to hide gives back the same array and no id", () => {
    const messages = chat(4);
    const unchanged = truncateConversation(messages, 0.5, "task");
    expect(unchanged).toEqual({ messages, messagesRemoved: 0 });
    expect(unchanged.messages).toBe(messages);
    expect(unchanged).not.toHaveProperty("truncationId");
  });

  test.each([-0.1, 1.1, Number.NaN, Number.POSITIVE_INFINITY])("a fraction of %f is refused", (fracToRemove) => {
    const truncated = () => truncateConversation(chat(9), fracToRemove, "task");
    expect(truncated).toThrow(PalimpsestError);
    expect(truncated).toThrow(
      expect.objectContaining({
        code: "invalid-argument",
        message: `fracToRemove is ${fracToRemove}; it must be between 0 and 1.`,
      }),
    );
  });
});

describe("the marker", () => {
  test("is the user's, names the count and the fold, and comes just before the first kept message", () => {
    const { messages, truncationId } = truncateConversation(chat(9), 0.5, "task");
    const marker = messages[5];
    expect(marker).toMatchObject({ role: "user", ts: 5_999, isTruncationMarker: true, truncationId });
    expect(marker?.content).toContain("4 earlier messages");
    expect(marker?.content).toContain(truncationId);
    expect(messages[6]).toMatchObject({ id: "m5", ts: 6_000 });
  });

  test("is the same for the same log and task", () => {
    const [first, second] = [1, 2].map(() => truncateConversation(structuredClone(chat(9)), 0.5, "task"));
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
  });

  test("comes last, without a time, when all but the first message was asked for", () => {
    const { messages } = truncateConversation(chat(5), 1, "task");
    expect(messages.at(-1)).toMatchObject({ isTruncationMarker: true });
    expect(messages.at(-1)).not.toHaveProperty("ts");
    expect(outline({ messages })).toBe("m0 …4");
  });

  test("stays when a later truncation puts another one after it", () => {
    const first = truncateConversation(chat(13), 0.5, "task");
    const second = truncateConversation(first.messages, 0.5, "task");
    expect(outline(second)).toBe("m0 …6 …2 m9 m10 m11 m12");
    expect(second.truncationId).not.toBe(first.truncationId);
  });
});

describe("failures that must not happen", () => {
  test("truncation that counts already-hidden messages and does not shrink the view", () => {
    let messages = truncate(condense(chat(41), "c1", ["m1", "m2", "m3", "m4"]), "t0", ["m5", "m6"]);
    const shownAtFirst = effectiveView(messages).length;
    // m0, the summary and m7 … m40 count; neither the marker nor what is hidden does: floor(35 / 2) made even is 16.
    expect(truncateConversation(messages, 0.5, "task").messagesRemoved).toBe(16);
    for (let shown = shownAtFirst; shown > 10; ) {
      messages = deepFreeze(truncateConversation(messages, 0.5, "task").messages);
      expect(effectiveView(messages).length).toBeLessThan(shown);
      shown = effectiveView(messages).length;
    }
    expect(restoreAllMessages(messages)).toEqual(chat(41));
  });

  test("one extra user message shifting parity so that an orphan tool result stays", () => {
    const turns = Array.from({ length: 6 }, (_, index) => [assistant(call(`t${index}`)), user(result(`t${index}`))]);
    for (const extra of [0, 1, 2, 3]) {
      const messages = log(user("go"), ...Array.from({ length: extra }, () => user("also")), ...turns.flat());
      for (const fracToRemove of [0.2, 0.3, 0.5, 0.7, 0.9, 1]) {
        const truncated = truncateConversation(messages, fracToRemove, "task");
        expect(validateView(effectiveView(truncated.messages))).toEqual([]);
        expect(truncated.messagesRemoved).toBeGreaterThan(0);
      }
    }
  });

  test("a zero-progress truncation that claims success", () => {
    const allImportant = log(...talk(9).map(important));
    const asides = ["hm", "and?", "wait", "so", "well"].map((words) => user(words));
    const onePair = log(user("go"), assistant(call("a")), ...asides, user(result("a")));
    const onlyMarkers = truncate(truncate(chat(5), "t1", ["m1", "m2"]), "t2", ["m3", "m4"]);
    for (const messages of [allImportant, onePair, onlyMarkers]) {
      expect(truncateConversation(messages, 0.5, "task")).toEqual({ messages, messagesRemoved: 0 });
    }
  });

  test("important messages at the beginning that keep all others from being hidden", () => {
    const messages = log(...talk(13).map((message, index) => (index < 8 ? important(message) : message)));
    expect(outline(truncateConversation(messages, 0.5, "task"))).toBe("m0 m1 m2 m3 m4 m5 m6 m7 …4 m12");
  });

  test("a marker between a call and its result once the summary around them is restored", () => {
    const carrier = tag(assistant("summary", call("a")), { id: "c1", isSummary: true, condenseId: "c1" });
    const condensed = condense(
      log(
        user("go"),
        assistant("note"),
        user("more"),
        assistant("so"),
        user("again"),
        assistant(call("a")),
        user(result("a")),
        assistant("ok"),
      ),
      "c1",
      ["m3", "m4", "m5"],
    ).with(6, carrier);
    const truncated = truncateConversation(condensed, 0.5, "task");
    expect(outline(truncated)).toBe("m0 …2 c1 m6 m7");
    expect(validateView(effectiveView(restoreMessages(truncated.messages, "c1")))).toEqual([]);
  });
});

describe("what stays whole", () => {
  test("a tool pair: the rest goes with its first half", () => {
    const messages = log(user("go"), assistant("so"), assistant(call("a")), user(result("a")), ...talk(3).slice(1));
    const truncated = truncateConversation(messages, 0.5, "task");
    expect(outline(truncated)).toBe("m0 …3 m4 m5");
    expect(truncated.messagesRemoved).toBe(3);
  });

  test("parallel calls with results spread over messages", () => {
    const messages = log(user("go"), assistant(call("a"), call("b")), user(result("b")), user(result("a")), ...talk(4));
    expect(outline(truncateConversation(messages, 0.3, "task"))).toBe("m0 …3 m4 m5 m6 m7");
  });

  test("not a call and a result 120 messages apart: most of what lies between them goes", () => {
    const turns = Array.from({ length: 60 }, (_, index) => [assistant(call(`t${index}`)), user(result(`t${index}`))]);
    const messages = log(user("go"), assistant(call("z")), ...turns.flat(), user(result("z")), assistant("ok"));
    const newest = ids(messages.slice(100)).join(" ");
    const truncated = truncateConversation(messages, 0.8, "task");
    expect(outline(truncated)).toBe(`m0 …99 ${newest}`);
    expect(validateView(getEffectiveApiHistory(truncated.messages))).toEqual([]);
  });

  test("an important message, with its tool pair; others go instead", () => {
    const messages = log(user("go"), important(assistant(call("a"))), user(result("a")), ...talk(8));
    expect(outline(truncateConversation(messages, 0.5, "task"))).toBe("m0 m1 m2 …4 m7 m8 m9 m10");
  });

  test("a decision, though not in a summary, while others can go instead", () => {
    const decided = (messages: readonly Message[], ...places: readonly number[]) =>
      messages.map((message, index) =>
        places.includes(index) ? { ...message, content: "We decided to use SQLite." } : message,
      );
    expect(outline(truncateConversation(log(...decided(talk(13), 3)), 0.5, "task"))).toBe("m0 m3 …6 m8 m9 m10 m11 m12");
    const summary = tag(assistant("We decided to use SQLite."), { isSummary: true });
    expect(outline(truncateConversation(log(...talk(13).with(3, summary)), 0.5, "task"))).toBe(
      "m0 …6 m7 m8 m9 m10 m11 m12",
    );
    const all = log(...decided(talk(13), ...Array.from({ length: 12 }, (_, index) => index + 1)));
    expect(truncateConversation(all, 0.5, "task").messagesRemoved).toBe(6);
  });

  test("a call that is still running, with its turn", () => {
    const running = [assistant(call("a"), call("b")), user(result("a"))];
    expect(outline(truncateConversation(log(...talk(5), ...running), 1, "task"))).toBe("m0 …4 m5 m6");
    expect(outline(truncateConversation(log(...talk(5), ...running, user("meanwhile")), 1, "task"))).toBe(
      "m0 …4 m5 m6 m7",
    );
  });

  test("the current turn, unless all of it was asked for", () => {
    const messages = log(user("go"), assistant("so"), assistant(call("a")), user(result("a")));
    expect(outline(truncateConversation(messages, 0.7, "task"))).toBe("m0 …1 m2 m3");
    expect(outline(truncateConversation(messages, 1, "task"))).toBe("m0 …1 m2 m3");
  });

  test("a first message that is part of a pair, with its pair, and what the person asked first", () => {
    const messages = log(assistant(call("a")), user(result("a")), ...talk(6).slice(1));
    expect(outline(truncateConversation(messages, 0.5, "task"))).toBe("m0 m1 m3 …2 m5 m6");
  });

  test("a log whose tags point to nothing: its messages count, and are hidden like others", () => {
    const dangling = log(...talk(9).map((message) => tag(message, { truncationParent: "gone" })));
    expect(outline(truncateConversation(dangling, 0.5, "task"))).toBe("m0 …4 m5 m6 m7 m8");
  });
});

// Anything that looks at all messages for each message would run for minutes.
const TURNS = sized({ full: 100_000, short: 10_000 });

test(`hides the older half of ${2 * TURNS} messages of tool traffic, pair by pair`, () => {
  const turns = Array.from({ length: TURNS }, (_, index) => [assistant(call(`t${index}`)), user(result(`t${index}`))]);
  const messages = [user("go"), ...turns.flat()];
  const truncated = truncateConversation(messages, 0.5, "task");
  expect(truncated.messagesRemoved).toBe(TURNS);
  const view = effectiveView(truncated.messages);
  expect(view).toHaveLength(1 + 1 + TURNS);
  expect(view[2]).toBe(messages[TURNS + 1]);
  expect(validateView(view)).toEqual([]);
});
