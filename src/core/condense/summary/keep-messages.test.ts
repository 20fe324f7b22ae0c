import { describe, expect, test } from "vitest";
import { assistant, call, chat, ids, log, result, tag, user } from "../../../../test/support/messages.ts";
import type { Message } from "../../message/message.ts";
import { getKeepMessagesWithToolBlocks, N_MESSAGES_TO_KEEP } from "./keep-messages.ts";

const reasoning = (text: string) => ({ type: "reasoning", text, signature: `signed ${text}` });

function keep(messages: readonly Message[], keepCount?: number) {
  const kept = getKeepMessagesWithToolBlocks(messages, keepCount);
  return {
    kept: ids(kept.keepMessages),
    calls: kept.toolUseBlocksToPreserve.map(({ id }) => id),
    reasoning: kept.reasoningBlocksToPreserve.map(({ text }) => text),
  };
}

test("the newest messages are kept, three unless more or fewer are asked for", () => {
  expect(N_MESSAGES_TO_KEEP).toBe(3);
  expect(keep(chat(8))).toEqual({ kept: ["m5", "m6", "m7"], calls: [], reasoning: [] });
  expect(keep(chat(8), 5).kept).toEqual(["m3", "m4", "m5", "m6", "m7"]);
  expect(keep(chat(8), 0).kept).toEqual([]);
  expect(keep(chat(2)).kept).toEqual(["m0", "m1"]);
  expect(keep([]).kept).toEqual([]);
});

test("a number of messages that cannot be is refused", () => {
  for (const keepCount of [-1, Number.NaN]) {
    expect(() => getKeepMessagesWithToolBlocks(chat(4), keepCount)).toThrow(/keepCount/);
  }
});

describe("the call of a kept result is carried, with the reasoning that led to it", () => {
  test("when the first kept message carries the result", () => {
    const messages = log(
      user("go"),
      assistant("hm"),
      assistant(reasoning("look first"), "I look.", call("c1")),
      user(result("c1")),
      assistant("found"),
      user("thanks"),
    );
    expect(keep(messages)).toEqual({ kept: ["m3", "m4", "m5"], calls: ["c1"], reasoning: ["look first"] });
  });

  test("untouched: signatures and unknown fields stay", () => {
    const signed = reasoning("look first");
    const cached = { ...call("c1"), cache_control: { type: "ephemeral" } };
    const messages = log(user("go"), assistant(signed, cached), user(result("c1")), assistant("found"), user("ok"));
    const kept = getKeepMessagesWithToolBlocks(messages);
    expect(kept.toolUseBlocksToPreserve[0]).toBe(cached);
    expect(kept.reasoningBlocksToPreserve[0]).toBe(signed);
  });

  test("when the result comes in a later kept message of the same turn", () => {
    const messages = log(
      user("go"),
      assistant("hm"),
      assistant(call("c1")),
      user("wait"),
      user(result("c1")),
      assistant("ok"),
    );
    expect(keep(messages)).toEqual({ kept: ["m3", "m4", "m5"], calls: ["c1"], reasoning: [] });
  });

  test("of parallel calls only those whose results are kept", () => {
    const messages = log(
      user("go"),
      assistant(reasoning("both"), call("c1"), call("c2"), call("c3")),
      user(result("c1")),
      user(result("c2")),
      user(result("c3")),
      assistant("ok"),
    );
    expect(keep(messages)).toEqual({ kept: ["m3", "m4", "m5"], calls: ["c2", "c3"], reasoning: ["both"] });
  });

  test("also the reasoning that stands in a message of its own before the call", () => {
    const messages = log(
      user("go"),
      assistant(reasoning("old")),
      user("no"),
      assistant(reasoning("first")),
      assistant(reasoning("second"), call("c1")),
      user(result("c1")),
      assistant("ok"),
      user("so"),
    );
    expect(keep(messages)).toEqual({ kept: ["m5", "m6", "m7"], calls: ["c1"], reasoning: ["first", "second"] });
  });

  test("but not the reasoning of a message that stays visible", () => {
    const messages = log(
      user("go"),
      tag(assistant(reasoning("first")), { important: true }),
      assistant(reasoning("second"), call("c1")),
      user(result("c1")),
      assistant("ok"),
      user("so"),
    );
    expect(keep(messages).reasoning).toEqual(["second"]);
  });
});

describe("more is kept", () => {
  test("while a call is running: its result is still to come", () => {
    const messages = log(
      user("go"),
      assistant("hm"),
      assistant("I run it.", call("c1")),
      user("and?"),
      user("well?"),
      user("hey"),
    );
    expect(keep(messages)).toEqual({ kept: ["m2", "m3", "m4", "m5"], calls: [], reasoning: [] });
  });

  test("while one of several calls is running", () => {
    const messages = log(
      user("go"),
      assistant(call("c1"), call("c2")),
      user(result("c1")),
      user("a"),
      user("b"),
      user("c"),
    );
    expect(keep(messages).kept).toEqual(["m1", "m2", "m3", "m4", "m5"]);
  });

  test("but not for a result that came after the model had gone on: no provider takes the two for a pair", () => {
    const messages = log(
      user("go"),
      assistant(call("c1")),
      user("wait"),
      assistant("I do."),
      user(result("c1")),
      assistant("ok"),
    );
    expect(keep(messages)).toEqual({ kept: ["m3", "m4", "m5"], calls: [], reasoning: [] });
  });

  test("where a person marked the message with the call", () => {
    const messages = log(
      user("go"),
      assistant("hm"),
      tag(assistant(call("c1")), { important: true }),
      user(result("c1")),
      assistant("ok"),
      user("so"),
    );
    expect(keep(messages)).toEqual({ kept: ["m2", "m3", "m4", "m5"], calls: [], reasoning: [] });
  });
});

test("an interrupted call of an earlier turn holds nothing back", () => {
  const messages = log(
    user("go"),
    assistant(call("c1")),
    user("stop"),
    assistant("ok"),
    ...chat(6).map(({ role, content }) => ({ role, content })),
  );
  expect(keep(messages).kept).toEqual(["m7", "m8", "m9"]);
});

test("thousands of parallel calls are no trouble", () => {
  const calls = Array.from({ length: 150_000 }, (_, index) => call(`c${index}`));
  const results = calls.map(({ id }) => result(id));
  const asking: Message = { role: "assistant", content: calls };
  const answers: Message = { role: "user", content: results };
  expect(keep([user("go"), assistant("hm"), asking, answers, assistant("ok"), user("so")]).calls).toHaveLength(150_000);
});
