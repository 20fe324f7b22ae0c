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
import { getEffectiveApiHistory } from "../../message/effective-view.ts";
import type { Message } from "../../message/message.ts";
import { validateView } from "../../message/validate-view.ts";
import { type ShedOptions, shedBytes } from "./shed-bytes.ts";

/** Turns with media of some size, for those of other conversations are small. */
const mediaTurn = fc
  .record({
    type: fc.constantFrom("user", "result", "file", "assistant"),
    characters: fc.integer({ min: 1, max: 6_000 }),
  })
  .map(({ type, characters }) => ({ type, characters }));

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
    share: fc.double({ min: 0.02, max: 1.1, noNaN: true }),
    maxImages: fc.option(fc.nat(6), { nil: undefined }),
    foldsText: fc.boolean(),
  })
  .map(({ plan, operations, media, later, share, maxImages, foldsText }) => {
    const { log, original, turns, labels } = performAll(plan, operations);
    const added = [
      ...media.flatMap(({ type, characters }, index) => mediaMessages(type, characters, `media-${index}`)),
      ...buildTurns({ turns: later, labels }, turns),
    ];
    const all = [...log, ...added];
    const maxViewBytes = Math.max(1, Math.round(bytesOf(getEffectiveApiHistory(all)) * share));
    const options = { maxViewBytes, maxImages, foldsText, countTokens: countCharacters, taskId: "task" };
    return { log: all, original: [...original, ...added], options };
  });

function mediaMessages(type: string, characters: number, id: string): readonly Message[] {
  if (type === "user") return [user("See:", picture(characters)), assistant("Seen.")];
  if (type === "file") return [user(documentOf(characters), "Read it."), assistant("Read.")];
  if (type === "assistant") return [user("Draw."), assistant("Here:", picture(characters))];
  return [assistant(call(id)), user(screen(id, characters))];
}

test("restoring gives the original messages byte for byte, by id and all at once", () => {
  fc.assert(
    fc.property(anyCase, ({ log, original, options }) => {
      const { messages, foldIds } = shedBytes(log, options);
      const known = listFolds(messages).map(({ foldId }) => foldId);
      expect(foldIds.filter((foldId) => !known.includes(foldId))).toEqual([]);
      const restored = foldIds.toReversed().reduce(restoreMessages, messages);
      expect(JSON.stringify(restored)).toBe(JSON.stringify(log));
      expect(JSON.stringify(restoreAllMessages(messages))).toBe(JSON.stringify(original));
    }),
    PROPERTY_RUNS,
  );
});

test("the view is one that providers accept, and passes the checks of every fold", () => {
  fc.assert(
    fc.property(anyCase, ({ log, options }) => {
      const { messages } = shedBytes(log, options);
      expect(verifyFold(log, messages)).toBeUndefined();
      expect(validateView(getEffectiveApiHistory(messages))).toEqual([]);
    }),
    PROPERTY_RUNS,
  );
});

test("the size is that of the JSON, and is under the limits or as small as it can be", () => {
  fc.assert(
    fc.property(anyCase, ({ log, options }) => {
      const { messages, size, foldIds } = shedBytes(log, options);
      const { maxViewBytes = 0, maxImages = Number.POSITIVE_INFINITY } = options;
      const view = getEffectiveApiHistory(messages);
      expect(size.bytes).toBe(bytesOf(view));
      expect(size.images).toBeLessThanOrEqual(maxImages);
      if (foldIds.length === 0) expect(messages).toBe(log);
      if (size.bytes <= maxViewBytes) return;
      // No more media than are smaller than the note about them.
      expect(JSON.stringify(view)).not.toMatch(/"data":"[AB]{200,}/);
      if (options.foldsText === false) return;
      // Ids, names and notes are left of every block.
      const blocks = view.flatMap(({ content }) => content).length;
      const leastBytes = view.reduce((bytes, message) => bytes + 250 + bytesOf([{ ...message, content: "" }]), 0);
      expect(size.bytes).toBeLessThan(leastBytes + 500 * blocks);
    }),
    PROPERTY_RUNS,
  );
});

test("the same log gives the same bytes, also as a copy", () => {
  fc.assert(
    fc.property(anyCase, ({ log, options }) => {
      const copy = shedBytes(structuredClone(log), options);
      expect(JSON.stringify(copy)).toBe(JSON.stringify(shedBytes(log, options)));
    }),
    PROPERTY_RUNS,
  );
});

test("what was folded once is not folded again, also where it did not help", () => {
  fc.assert(
    fc.property(anyCase, ({ log, options }) => {
      const { messages } = shedBytes(log, options);
      expect(shedBytes(messages, options).foldIds).toEqual([]);
    }),
    PROPERTY_RUNS,
  );
});

test("later folds leave the stand-ins of earlier ones as they are", () => {
  fc.assert(
    fc.property(anyCase, ({ log, options }) => {
      const { maxViewBytes = 0 } = options;
      const first = shedBytes(log, options).messages;
      const later = [...first, user("See:", picture(Math.max(5_000, maxViewBytes))), assistant("Seen.")];
      const second = shedBytes(later, options).messages;
      for (const [index, { folds = [] }] of first.entries()) {
        expect(JSON.stringify(second[index]?.folds?.slice(0, folds.length) ?? [])).toBe(JSON.stringify(folds));
      }
    }),
    PROPERTY_RUNS,
  );
});
