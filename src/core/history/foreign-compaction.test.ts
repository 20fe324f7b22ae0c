import * as fc from "fast-check";
import { expect, test } from "vitest";
import { assistant, call, deepFreeze, log, result, tag, user } from "../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { type CompactionReader, compactionReaderOf, isForeignCompaction } from "../message/compaction-reader.ts";
import { effectiveView } from "../message/effective-view.ts";
import type { Block, Message } from "../message/message.ts";
import { contentBlocks } from "../message/tool-pairs.ts";
import { foldCompacted } from "./fold-compacted.ts";
import { needsOtherCompactions, showForReader } from "./foreign-compaction.ts";
import { listFolds } from "./list-folds.ts";
import { restoreAllMessages, restoreMessages } from "./restore.ts";

const sealed: Block = { type: "compaction", encrypted_content: "sealed" };
const readable: Block = { type: "compaction", content: "They read a file.", encrypted_content: "sealed" };

const original = deepFreeze(
  log(
    user("go"),
    assistant("I read", call("t1", "read")),
    user(result("t1", "content")),
    assistant(sealed),
    user("more"),
  ),
);

/** What a session does before a view. */
function forReader(messages: readonly Message[], reader: CompactionReader): readonly Message[] {
  const isNeeded = needsOtherCompactions(effectiveView(messages), reader);
  return foldCompacted(isNeeded ? showForReader(messages, { reader, taskId: "task" }) : messages, "task");
}

const viewText = (messages: readonly Message[]) =>
  JSON.stringify(effectiveView(messages).map(({ content }) => content));

test.each([
  ["claude-sonnet-4-5", "anthropic"],
  ["us.anthropic.claude-opus-4-5-v1:0", "anthropic"],
  ["gpt-5.2", "openai"],
  ["o4-mini", "openai"],
  ["models/gemini-2.5-pro", "other"],
  ["my-deployment", "any"],
])("%s reads compactions of: %s", (model, reader) => {
  expect(compactionReaderOf(model)).toBe(reader);
});

test("another provider is shown what a sealed compaction stands for, its own the compaction", () => {
  const forOpenAi = forReader(original, "openai");
  expect(viewText(forOpenAi)).toContain("sealed");
  expect(viewText(forOpenAi)).not.toContain("I read");
  const forAnthropic = forReader(forOpenAi, "anthropic");
  expect(viewText(forAnthropic)).toContain("I read");
  expect(viewText(forAnthropic)).not.toContain("sealed");
  expect(forReader(forAnthropic, "anthropic")).toBe(forAnthropic);
  expect(JSON.stringify(forReader(forAnthropic, "openai"))).toBe(JSON.stringify(forOpenAi));
});

test("what the log does not have is told in the compaction's own words, or in a line", () => {
  const unknown = (block: Block) => deepFreeze(log(assistant(block), user("more")));
  expect(viewText(forReader(unknown(readable), "openai"))).toContain('"text":"They read a file."');
  expect(viewText(forReader(unknown(sealed), "other"))).toContain("only its provider can read");
});

test("what a person brought back stays, whoever reads", () => {
  const folded = foldCompacted(original, "task");
  const restored = restoreMessages(folded, listFolds(folded)[0]?.foldId ?? "");
  for (const reader of ["openai", "anthropic", "any"] as const) expect(forReader(restored, reader)).toBe(restored);
});

test("for any conversation and any readers in turn: nothing is lost, and none is shown what it cannot read", () => {
  const turn = fc.record({ block: fc.constantFrom(undefined, sealed, readable), isRetained: fc.boolean() });
  const readers = fc.array(fc.constantFrom<CompactionReader>("anthropic", "openai", "other", "any"), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 10 }), readers, (turns, asked) => {
      const said = turns.flatMap(({ block, isRetained }, at) => [
        user(`${at}`),
        assistant(call(`t${at}`)),
        user(result(`t${at}`, "x")),
        ...(block === undefined
          ? []
          : [
              ...(isRetained ? [tag(user(`${at}`), { isRetained })] : []),
              assistant(block, { type: "text", text: "done" }),
            ]),
      ]);
      const given = deepFreeze(log(...said, user("Go on.")));
      let current: readonly Message[] = given;
      for (const reader of asked) {
        current = forReader(current, reader);
        const blocks = effectiveView(current).flatMap(({ content }) => contentBlocks(content));
        expect(blocks.filter((block) => isForeignCompaction(block, reader))).toEqual([]);
        expect(forReader(current, reader)).toBe(current);
      }
      expect(JSON.stringify(restoreAllMessages(current))).toBe(JSON.stringify(given));
    }),
    PROPERTY_RUNS,
  );
});
