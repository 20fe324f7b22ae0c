import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assistant, call, chat, log, result, tag, user } from "../../../test/support/messages.ts";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { logBlocks } from "../condense/ledger/log-blocks.ts";
import { quotable } from "../condense/ledger/quotable.ts";
import { findStanding } from "../standing/find-standing.ts";
import { countContentTokens } from "../tokens/count-content.ts";
import { addTotals, NOTHING_HIDDEN, totalOf, totalsBehindStandIns } from "../truncate/hidden-totals.ts";
import { checkMessages } from "./check-messages.ts";
import { collectStandIns, effectiveView, isHidden, isStandIn, liveTags, renderMessage } from "./effective-view.ts";
import { newFoldId } from "./fold-id.ts";
import { logSegments, SEGMENT_MESSAGES, segmentFacts } from "./log-segments.ts";
import type { Message } from "./message.ts";

/** How a log becomes the next one. */
type Change =
  | { readonly type: "append"; readonly messages: number }
  | { readonly type: "fold"; readonly from: number; readonly messages: number }
  | { readonly type: "restore"; readonly fold: number };

const place = fc.nat(2_000);
const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ type: fc.constant("append" as const), messages: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ type: fc.constant("fold" as const), from: place, messages: fc.integer({ min: 1, max: 700 }) }),
  fc.record({ type: fc.constant("restore" as const), fold: fc.nat(5) }),
);

function begun(length: number): readonly Message[] {
  return log(
    ...Array.from({ length }, (_, index): Message => {
      if (index % 10 === 0) return user(`Ask ${index}, and never rename part ${index % 30}.`);
      if (index % 2 === 0) return user(result(`t${index - 1}`, `part ${index}`));
      return index % 10 === 9
        ? assistant("Done.")
        : assistant(call(`t${index}`, "read_file", { path: `${index % 7}` }));
    }),
  );
}

/** Frozen, with the messages that were frozen before as the same objects. */
function still(messages: readonly Message[]): readonly Message[] {
  return Object.freeze(messages.map((message) => Object.freeze(message)));
}

function changed(messages: readonly Message[], change: Change, number: number): readonly Message[] {
  switch (change.type) {
    case "append":
      return still([...messages, ...begun(change.messages).map((each) => ({ ...each, id: `${number} ${each.id}` }))]);
    case "fold": {
      const condenseId = `condense-${number}`;
      const standIn = tag(user(`Notes ${number}.`), { id: condenseId, isSummary: true, condenseId });
      const end = change.from + change.messages;
      const isFolded = (index: number) => index >= change.from && index < end;
      const folded = messages.map((each, index) =>
        isFolded(index) ? tag(each, { condenseParent: condenseId }) : each,
      );
      return still(folded.toSpliced(end, 0, standIn));
    }
    case "restore": {
      const standIn = messages.filter(isStandIn)[change.fold];
      return still(messages.filter((each) => each !== standIn));
    }
  }
}

/** All that is read of a log segment by segment. */
function readAll(messages: readonly Message[]): readonly unknown[] {
  const standIns = collectStandIns(messages);
  return [
    effectiveView(messages).map(({ id }) => id),
    standIns,
    newFoldId("condense", "task", messages),
    [...totalsBehindStandIns(messages, countContentTokens)],
    [...findStanding(messages)],
    quotable(messages).map(({ id }) => id),
    logBlocks(messages).map(({ number, age, message }) => [number, age, message.id]),
  ];
}

/** By their definitions, message by message. */
function viewByDefinition(messages: readonly Message[]): readonly Message[] {
  const standIns = collectStandIns(messages);
  return messages.filter((message) => !isHidden(message, standIns)).map(renderMessage);
}

function totalsByDefinition(messages: readonly Message[]) {
  const standIns = collectStandIns(messages);
  const totals = new Map<string, typeof NOTHING_HIDDEN>();
  for (const message of messages) {
    const { condenseParent, truncationParent } = liveTags(message, standIns);
    const parent = truncationParent ?? condenseParent;
    if (parent === undefined) continue;
    const total = totalOf(message, totals, countContentTokens);
    totals.set(parent, addTotals(totals.get(parent) ?? NOTHING_HIDDEN, total));
  }
  return totals;
}

test("what is kept of a log's segments is what a log says that nobody has seen", () => {
  fc.assert(
    fc.property(fc.integer({ min: 400, max: 3_000 }), fc.array(changes, { maxLength: 6 }), (length, steps) => {
      let messages = begun(length);
      readAll(messages);
      for (const [number, step] of steps.entries()) {
        messages = changed(messages, step, number);
        const unseen = messages.map((message) => ({ ...message }));
        expect(readAll(messages)).toEqual(readAll(unseen));
        expect(effectiveView(messages)).toEqual(viewByDefinition(messages));
        expect(totalsBehindStandIns(messages, countContentTokens)).toEqual(totalsByDefinition(messages));
      }
    }),
    propertyRuns(20),
  );
});

describe("segments of a log", () => {
  test("are the same as long as their messages are", () => {
    const before = chat(3 * SEGMENT_MESSAGES);
    const after = still([...before.slice(0, -1), assistant("Another word.")]);
    const [one, other] = [logSegments(before), logSegments(after)];
    expect(other.map(({ messages }, index) => messages === one[index]?.messages)).toEqual([true, true, false]);
  });

  test("of messages that someone may change are read each time", () => {
    const messages = Array.from({ length: SEGMENT_MESSAGES }, (): Message => ({ role: "user", content: "x" }));
    const summary = { role: "user", content: "Notes.", isSummary: true, condenseId: "c" } as const;
    expect(effectiveView([...messages, summary])).toHaveLength(SEGMENT_MESSAGES + 1);
    Object.assign(messages[3] ?? {}, { condenseParent: "c" });
    expect(effectiveView([...messages, summary])).toHaveLength(SEGMENT_MESSAGES);
  });

  test("are read once", () => {
    let reads = 0;
    const count = segmentFacts((messages) => {
      reads += 1;
      return messages.length;
    });
    const messages = chat(2 * SEGMENT_MESSAGES);
    for (let time = 0; time < 3; time++) expect(logSegments([...messages]).map(count)).toEqual([512, 512]);
    expect(reads).toBe(2);
  });

  test("are checked to the last message", () => {
    const messages: unknown[] = [...chat(2 * SEGMENT_MESSAGES)];
    checkMessages(messages);
    expect(() => checkMessages([...messages, 7])).toThrow(`messages[${2 * SEGMENT_MESSAGES}]`);
  });
});
