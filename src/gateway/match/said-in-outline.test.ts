import fc from "fast-check";
import { expect, test } from "vitest";
import { logMessage } from "../../../test/support/log-messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { collectStandIns, effectiveView, isHidden } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { extendOutline, outlineOf, saveOutline } from "../../engine/session/log-outline.ts";
import { factsOf, saidIn, saidInOutline } from "./log-facts.ts";
import { wireView } from "./wire-view.ts";

const kinds = fc.constantFrom("said", "said", "condensed", "truncated", "folded", "summary", "marker", "account");
const logs = fc.array(kinds, { minLength: 1, maxLength: 30 }).map((list) => list.map(logMessage));
const growth = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 });

/** The outline of a log, saved and gone on with as often as it grows; and the log. */
function grown(beginning: readonly Message[], steps: readonly number[]) {
  let log = beginning;
  let saved = outlineOf(log);
  let visible = visibleIn(log);
  let appended: readonly Message[] = [];
  for (const count of [...steps, 2]) {
    if (saved === undefined) throw new Error("This platform has hashes.");
    const known = extendOutline(saved, visible, appended);
    saved = known && saveOutline(known);
    visible = [...visible, ...appended];
    appended = Array.from({ length: count }, (_, index) => logMessage("said", log.length + index));
    log = [...log, ...appended];
  }
  return { log, outline: saved && extendOutline(saved, visible, appended) };
}

function visibleIn(log: readonly Message[]): readonly Message[] {
  const standIns = collectStandIns(log);
  return log.filter((message) => !isHidden(message, standIns));
}

test("an outline tells of a log what the log itself tells, however often it was saved", () => {
  fc.assert(
    fc.property(logs, growth, (beginning, steps) => {
      const { log, outline } = grown(beginning, steps);
      if (outline === undefined) throw new Error("Nothing that was appended is part of a fold.");
      const { said, ...folds } = factsOf(log);
      expect(outline).toMatchObject({ ...folds, messages: log.length, saidMessages: said.messages.length });
      const fingerprints = [...said.fingerprints, "m:new"];
      const [one, other] = [saidInOutline(outline, fingerprints), saidIn(said)];
      expect([one?.count, one?.tokens()]).toEqual([other.count, other.tokens()]);
      expect(one?.fingerprintAt(one.count)).toBeUndefined();
      for (const { place = -1, message } of outline.visible) {
        if (place >= 0)
          expect([one?.at(place), one?.fingerprintAt(place)]).toEqual([message, said.fingerprints[place]]);
      }
      const view = effectiveView(log);
      const parts = wireView({ log: undefined, outline, view }, fingerprints.length);
      expect(parts).toEqual(wireView({ log, view }, fingerprints.length));
    }),
    PROPERTY_RUNS,
  );
});

test("a request that says anything else, or less, is not matched by an outline, also after one that was", () => {
  fc.assert(
    fc.property(logs, growth, fc.nat(), (beginning, steps, at) => {
      const { log, outline } = grown(beginning, steps);
      const { fingerprints } = factsOf(log).said;
      if (outline === undefined) throw new Error("Nothing that was appended is part of a fold.");
      const place = at % fingerprints.length;
      const other = fingerprints.map((each, index) => (index === place ? `${each}x` : each));
      for (const sent of [other, fingerprints.slice(0, -1), [...other, "m:new"]]) {
        expect(saidInOutline(outline, sent)).toBeUndefined();
      }
      expect(saidInOutline(outline, fingerprints)?.count).toBe(fingerprints.length);
      expect(saidInOutline(outline, other)).toBeUndefined();
    }),
    PROPERTY_RUNS,
  );
});
