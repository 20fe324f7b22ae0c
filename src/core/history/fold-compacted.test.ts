import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assistant, call, deepFreeze, ids, log, result, tag, user } from "../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { compact } from "../condense/ledger/compact.ts";
import { effectiveView } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { foldCompacted } from "./fold-compacted.ts";
import { listFolds } from "./list-folds.ts";
import { restoreAllMessages, restoreMessages } from "./restore.ts";
import { verifyFold } from "./verify-fold.ts";

const viewIds = (messages: readonly Message[]) => ids(effectiveView(messages));
const compaction = { type: "compaction", content: "They read a file.", encrypted_content: "sealed" };
const opaque = { type: "compaction", encrypted_content: "sealed" };

const original = deepFreeze(
  log(
    user("go"),
    assistant("I read", call("t1", "read")),
    user(result("t1", "content")),
    assistant(compaction, { type: "text", text: "It is read." }),
    user("and now?"),
  ),
);
const idOf = (messages: readonly Message[]) => listFolds(messages).map(({ foldId }) => foldId);

describe("foldCompacted", () => {
  test("hides all before the newest compaction, and is a fold like any other", () => {
    const folded = foldCompacted(original, "task");
    const [id = ""] = idOf(folded);
    expect(viewIds(folded)).toEqual([id, "m3", "m4"]);
    expect(listFolds(folded)).toEqual([{ foldId: id, kind: "condense", messages: 3, blocks: 0 }]);
    expect(verifyFold(original, folded)).toBeUndefined();
    expect(foldCompacted(folded, "task")).toBe(folded);
    expect(JSON.stringify(restoreAllMessages(folded))).toBe(JSON.stringify(original));
  });

  test("a later compaction hides the earlier one", () => {
    const longer = deepFreeze([...foldCompacted(original, "task"), tag(assistant(compaction), { id: "m5" })]);
    const folded = foldCompacted(longer, "task");
    expect(viewIds(folded)).toEqual([expect.stringMatching(/^condense-/), "m5"]);
    expect(JSON.stringify(restoreAllMessages(folded))).toBe(JSON.stringify(restoreAllMessages(longer)));
  });

  test("messages that the provider kept stay beside its compaction", () => {
    const kept = tag(user("go"), { isRetained: true });
    const window = log(user("go"), assistant("done"), kept, user(opaque), user("more"));
    expect(viewIds(foldCompacted(window, "task"))).toEqual([expect.stringMatching(/^condense-/), "m2", "m3", "m4"]);
  });

  test.each([
    ["no compaction", log(user("go"), assistant("done"))],
    [
      "a compaction that failed",
      log(user("go"), assistant({ type: "compaction", content: null, encrypted_content: null })),
    ],
    ["nothing before it", log(assistant(compaction), user("more"))],
  ])("does nothing where there is %s", (_, messages) => {
    expect(foldCompacted(messages, "task")).toBe(messages);
  });

  test("our own folding keeps the compaction, and puts nothing before it", () => {
    const talk = Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? user : assistant)(`${at} `.repeat(100)));
    const messages = foldCompacted(log(...original.slice(0, 4), ...talk), "task");
    const folded = compact(messages, 2_000).messages;
    const [account, first, next] = effectiveView(folded);
    expect(account?.compaction).toBe("provider");
    expect(first?.id).toBe("m3");
    expect(next?.isSummary ?? next?.isTruncationMarker).toBe(true);
  });
});

describe("restoring what a provider compacted", () => {
  test("shows the originals and hides the compaction; restoring that gives the provider's block back", () => {
    const folded = foldCompacted(original, "task");
    const restored = restoreMessages(folded, idOf(folded)[0] ?? "");
    expect(viewIds(restored)).toEqual(["m0", "m1", "m2", "m3", "m4"]);
    expect(JSON.stringify(effectiveView(restored))).not.toContain("sealed");
    expect(foldCompacted(restored, "task")).toBe(restored);
    const back = restoreMessages(restored, idOf(restored)[0] ?? "");
    expect(JSON.stringify(back)).toBe(JSON.stringify(original));
  });

  test("hides a message that is nothing but a compaction, and what was kept beside it", () => {
    const kept = tag(user("go"), { isRetained: true });
    const window = deepFreeze(log(user("go"), assistant("done"), kept, user(opaque), user("more")));
    const folded = foldCompacted(window, "task");
    const restored = restoreMessages(folded, idOf(folded)[0] ?? "");
    expect(viewIds(restored)).toEqual(["m0", "m1", expect.stringMatching(/-opaque$/), "m4"]);
    expect(effectiveView(restored)[2]?.compaction).toBe("restored");
    expect(JSON.stringify(restoreAllMessages(restored))).toBe(JSON.stringify(window));
  });
});

describe("for any conversation that a provider compacts, however often", () => {
  /** Turns; some replies begin with a compaction. */
  const conversation = fc.array(
    fc.record({ words: fc.integer({ min: 1, max: 120 }), isCompacted: fc.boolean(), hasCall: fc.boolean() }),
    { minLength: 1, maxLength: 14 },
  );

  test("folding and restoring in any order loses nothing, and the provider reads all that is shown", () => {
    fc.assert(
      fc.property(conversation, fc.array(fc.nat(), { maxLength: 6 }), (turns, choices) => {
        const said = turns.flatMap(({ words, isCompacted, hasCall }, at) => [
          user(`${at} `.repeat(words)),
          ...(hasCall ? [assistant(call(`t${at}`)), user(result(`t${at}`, "x ".repeat(words)))] : []),
          assistant(...(isCompacted ? [compaction] : []), { type: "text", text: `Done with ${at}.` }),
        ]);
        const original = deepFreeze(log(...said, user("Go on.")));
        let current = foldCompacted(original, "task");
        for (const choice of choices) {
          const folds = listFolds(current);
          const fold = folds[choice % Math.max(1, folds.length + 1)];
          const next = fold === undefined ? compact(current, 600).messages : restoreMessages(current, fold.foldId);
          current = foldCompacted(next, "task");
          const view = effectiveView(current);
          const last = view.findLastIndex((message) => JSON.stringify(message.content).includes("sealed"));
          // Before the newest compaction that is shown there is nothing but our account of it.
          expect(view.slice(0, Math.max(0, last)).every((message) => message.compaction === "provider")).toBe(true);
        }
        expect(JSON.stringify(restoreAllMessages(current))).toBe(JSON.stringify(original));
      }),
      PROPERTY_RUNS,
    );
  });
});
