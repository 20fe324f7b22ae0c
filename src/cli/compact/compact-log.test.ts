import { describe, expect, test } from "vitest";
import { assistant, call, log, result, user } from "../../../test/support/messages.ts";
import { restoreAllMessages } from "../../core/history/restore.ts";
import type { Message } from "../../core/message/message.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { COMPACT, type CompactedView, type CompactLogOptions, compactLog, STRATEGIES } from "./compact-log.ts";

function session(turns: number): readonly Message[] {
  return log(
    user("Keep the harbour's tide table right."),
    ...Array.from({ length: turns }, (_, turn) => [
      assistant(`Step ${turn}.`, call(`c${turn}`, "Read", { file_path: `src/file-${turn}.ts`, all: true })),
      user(result(`c${turn}`, `line of file ${turn}, with the number ${1_000 + turn}\n`.repeat(20))),
    ]).flat(),
    assistant("All read."),
  );
}

function fitted(messages: readonly Message[], options: CompactLogOptions): CompactedView {
  const outcome = compactLog(messages, options);
  if (outcome.type !== "fits") throw new Error(`It takes ${outcome.enoughTokens}.`);
  return outcome.view;
}

describe.each(STRATEGIES)("compacting by %s", (strategy) => {
  const messages = session(40);

  test.each([500, 1_000, 4_000])(
    "neither messages nor text are over %i tokens, and the view is valid",
    (budgetTokens) => {
      const view = fitted(messages, { budgetTokens, strategy });
      expect(view.budgetTokens).toBe(budgetTokens);
      expect(view.tokens).toBe(countMessagesTokens(view.messages));
      expect(view.tokens).toBeLessThanOrEqual(budgetTokens);
      expect(countTextTokens(view.text)).toBeLessThanOrEqual(budgetTokens);
      expect(validateView(view.messages)).toEqual([]);
      expect(view.folds.length).toBeGreaterThan(0);
    },
  );

  test("what fits already is left as it is", () => {
    const view = fitted(messages, { budgetTokens: 100_000, strategy });
    expect(view.messages).toEqual(messages);
    expect(view.folds).toEqual([]);
  });

  test("says which budget would do where none is possible, and it does", () => {
    const outcome = compactLog(messages, { budgetTokens: 3, strategy });
    if (outcome.type !== "cannot-fit") throw new Error("It fits in 3 tokens.");
    expect(outcome.enoughTokens).toBeGreaterThan(3);
    expect(compactLog(messages, { budgetTokens: outcome.enoughTokens, strategy }).type).toBe("fits");
  });

  test("loses nothing", () => {
    const { messages: folded } = COMPACT[strategy](messages, 1_000);
    expect(restoreAllMessages(folded)).toEqual(messages);
  });

  test("an empty session is an empty view", () => {
    expect(fitted([], { budgetTokens: 10, strategy })).toEqual({
      budgetTokens: 10,
      tokens: 0,
      folds: [],
      messages: [],
      text: "",
    });
  });
});

test("masking shows the newest results and stubs of the others", () => {
  const view = fitted(session(20), { budgetTokens: 4_000, strategy: "mask" });
  expect(view.folds.map(({ kind }) => kind)).toEqual(["clear"]);
  expect(view.text).toContain("line of file 19");
  expect(view.text).not.toContain("line of file 3,");
});

test("short messages, whose headings take more than their text, are held to the budget as text too", () => {
  const chat = log(...Array.from({ length: 300 }, (_, turn) => (turn % 2 === 0 ? user(`${turn}?`) : assistant("Yes"))));
  const budgetTokens = 500;
  for (const strategy of STRATEGIES) {
    const view = fitted(chat, { budgetTokens, strategy });
    expect(countTextTokens(view.text)).toBeLessThanOrEqual(budgetTokens);
    expect(countTextTokens(view.text)).toBeGreaterThan(0.8 * budgetTokens);
  }
});
