import { describe, expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import { prose } from "../../../test/support/sessions.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { keepNewest } from "./forward-summary.ts";

/** A request and so many steps of a thousand tokens. */
const steps = (count: number) =>
  log(
    user("Read all of it."),
    ...Array.from({ length: count }, (_, step) => [
      assistant(call(`t${step}`, "read_file", { path: `src/${step}.ts` })),
      user(result(`t${step}`, prose(950, `file ${step}`))),
    ]).flat(),
    user("Sum it up."),
  );

function keptOf(count: number, targetTokens: number) {
  const messages = keepNewest(steps(count), targetTokens);
  const kept = messages.filter(({ important }) => important === true);
  return { messages, kept, keptTokens: countMessagesTokens(kept) };
}

describe("what is kept of the newest messages", () => {
  test("is nothing in particular where all of it has room", () => {
    expect(keptOf(10, 20_000).kept).toEqual([]);
  });

  test("leaves room to quote a third of the others", () => {
    for (const count of [12, 15, 20, 30]) {
      const { messages, keptTokens } = keptOf(count, 10_000);
      const others = countMessagesTokens(messages) - keptTokens;
      const room = Math.min(10_000, 0.79 * countMessagesTokens(messages)) - keptTokens;
      expect(room / others, `${count} steps`).toBeGreaterThanOrEqual(0.3);
    }
  });

  test("is most of what there is room for where little is too much, and nothing where far too much is", () => {
    expect(keptOf(13, 10_000).keptTokens).toBeGreaterThan(7_000);
    expect(keptOf(20, 10_000).keptTokens).toBeGreaterThan(4_000);
    expect(keptOf(200, 10_000).kept).toEqual([]);
  });

  test("is whole: pairs of calls and results, from the beginning of a turn", () => {
    const { messages, kept } = keptOf(15, 10_000);
    expect(messages.slice(-kept.length)).toEqual(kept);
    expect(kept[0]).toMatchObject({ role: "assistant" });
    const split = log(user("Go."), ...Array.from({ length: 12 }, (_, at) => assistant(prose(900, `part ${at}`))));
    expect(keepNewest(split, 10_000).filter(({ important }) => important === true)).toEqual([]);
  });

  test("is the same message in all else", () => {
    const before = steps(15);
    const after = keepNewest(before, 10_000).map(({ important: _, ...message }) => message);
    expect(after).toEqual(before);
  });
});
