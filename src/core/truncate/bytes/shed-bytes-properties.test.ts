/** What always holds of folds for bytes, over random conversations that were folded in other ways before. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { buildTurns, conversationPlan, turnPlan } from "../../../../test/properties/conversations.ts";
import { countCharacters, operation, performAll } from "../../../../test/properties/operations.ts";
import { bytesOf, documentOf, picture, screen } from "../../../../test/support/media.ts";
import { assistant, call, user } from "../../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../../test/support/property-runs.ts";
import { listFolds } from "../../history/list-folds.ts";
import { restoreAllMessages, restoreMessages } from "../../history/restore.ts";
import { verifyFold } from "../../history/verify-fold.ts";
import { effectiveView } from "../../message/effective-view.ts";
import type { Message } from "../../message/message.ts";
import { validateView } from "../../message/validate-view.ts";
import { type ShedOptions, shedBytes } from "./shed-bytes.ts";

/** Each case is a conversation that other operations were done to: making a failing one small would take hours. */
const RUNS = { ...PROPERTY_RUNS, numRuns: Math.ceil(PROPERTY_RUNS.numRuns / 8), interruptAfterTimeLimit: 40_000 };

/** Turns with media of some size, for those of other conversations are small. */
const mediaTurn = fc.record({
  type: fc.constantFrom("user", "result", "file", "assistant"),
  characters: fc.integer({ min: 1, max: 6_000 }),
});

interface Case {
  /** Folded in other ways already. */
  readonly log: readonly Message[];
  readonly original: readonly Message[];
  readonly options: ShedOptions;
}

const anyCase: fc.Arbitrary<Case> = fc
  .record({
    plan: conversationPlan,
    operations: fc.array(operation, { maxLength: 4 }),
    media: fc.array(mediaTurn, { maxLength: 8 }),
    later: fc.array(turnPlan, { maxLength: 3 }),
    percent: fc.integer({ min: 2, max: 110 }),
    maxImages: fc.option(fc.nat(6), { nil: undefined }),
    foldsText: fc.boolean(),
  })
  .map(({ plan, operations, media, later, percent, maxImages, foldsText }) => {
    const { log, original, turns, labels } = performAll(plan, operations);
    const added = [
      ...media.flatMap(({ type, characters }, index) => mediaMessages(type, characters, `media-${index}`)),
      ...buildTurns({ turns: later, labels }, turns),
    ];
    const all = [...log, ...added];
    const maxViewBytes = Math.max(1, Math.round((bytesOf(effectiveView(all)) * percent) / 100));
    const options = { maxViewBytes, maxImages, foldsText, countTokens: countCharacters, taskId: "task" };
    return { log: all, original: [...original, ...added], options };
  });

function mediaMessages(type: string, characters: number, id: string): readonly Message[] {
  if (type === "user") return [user("See:", picture(characters)), assistant("Seen.")];
  if (type === "file") return [user(documentOf(characters), "Read it."), assistant("Read.")];
  if (type === "assistant") return [user("Draw."), assistant("Here:", picture(characters))];
  return [assistant(call(id)), user(screen(id, characters))];
}

test("the log is still whole, the view is one that providers accept, and its size is that of its JSON", () => {
  fc.assert(
    fc.property(anyCase, ({ log, original, options }) => {
      const { messages, foldIds, size } = shedBytes(log, options);
      const view = effectiveView(messages);
      expect(verifyFold(log, messages)).toBeUndefined();
      expect(validateView(view)).toEqual([]);
      expect(size.bytes).toBe(bytesOf(view));
      if (foldIds.length === 0) expect(messages).toBe(log);
      const known = listFolds(messages).map(({ foldId }) => foldId);
      expect(foldIds.filter((foldId) => !known.includes(foldId))).toEqual([]);
      const restored = foldIds.toReversed().reduce(restoreMessages, messages);
      expect(JSON.stringify(restored)).toBe(JSON.stringify(log));
      expect(JSON.stringify(restoreAllMessages(messages))).toBe(JSON.stringify(original));
    }),
    RUNS,
  );
});

test("the view is under the limits, or nothing is left to fold", () => {
  fc.assert(
    fc.property(anyCase, ({ log, options }) => {
      const { messages, size } = shedBytes(log, options);
      const { maxViewBytes = 0, maxImages = Number.POSITIVE_INFINITY } = options;
      const view = effectiveView(messages);
      expect(size.images).toBeLessThanOrEqual(maxImages);
      if (size.bytes <= maxViewBytes) return;
      // Pictures that are smaller than the note about them stay, and files that are too small to be told from other data.
      expect(JSON.stringify(view)).not.toMatch(/"data":"(?:A{200}|B{1024})/);
      if (options.foldsText === false) return;
      // Ids, names and notes are left of every block.
      const blocks = view.reduce((count, { content }) => count + (typeof content === "string" ? 1 : content.length), 0);
      const frames = view.reduce((bytes, message) => bytes + 250 + bytesOf([{ ...message, content: "" }]), 0);
      expect(size.bytes).toBeLessThan(frames + 500 * blocks);
    }),
    RUNS,
  );
});

test("the same log gives the same bytes; what was folded is not folded again, and its stand-ins stay as they are", () => {
  fc.assert(
    fc.property(anyCase, ({ log, options }) => {
      const first = shedBytes(log, options);
      expect(JSON.stringify(shedBytes(structuredClone(log), options))).toBe(JSON.stringify(first));
      expect(shedBytes(first.messages, options).foldIds).toEqual([]);
      const { maxViewBytes = 0 } = options;
      const later = [...first.messages, user("See:", picture(Math.max(5_000, maxViewBytes))), assistant("Seen.")];
      const second = shedBytes(later, options).messages;
      for (const [index, { folds = [] }] of first.messages.entries()) {
        expect(JSON.stringify(second[index]?.folds?.slice(0, folds.length) ?? [])).toBe(JSON.stringify(folds));
      }
    }),
    RUNS,
  );
});
