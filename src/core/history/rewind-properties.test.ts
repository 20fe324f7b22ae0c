/** Rewinding gives back the log of any earlier moment, over random tasks with folds, races and rewinds. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze } from "../../../test/support/messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import {
  condensed,
  type Histories,
  rewind,
  said,
  shown,
  summary,
  truncated,
} from "../../../test/support/task-histories.ts";
import { collectStandIns, isHidden } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { truncateConversation } from "../truncate/truncate-conversation.ts";
import type { UiMessage } from "./ui-messages.ts";

type Operation =
  /** The API has the question a little later than the person saw it. */
  | { readonly type: "ask"; readonly lagMs: number }
  | { readonly type: "reply" }
  /** Feedback that was given while the replies to the question before were still streaming. */
  | { readonly type: "race"; readonly replies: number }
  | { readonly type: "condense"; readonly from: number; readonly to: number }
  | { readonly type: "truncate"; readonly fracToRemove: number }
  | { readonly type: "rewind"; readonly pick: number; readonly includeTargetMessage: boolean };

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant("ask" as const), lagMs: fc.nat(2) }) },
  { weight: 3, arbitrary: fc.constant({ type: "reply" as const }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("race" as const), replies: fc.integer({ min: 1, max: 2 }) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("condense" as const), from: fc.nat(12), to: fc.nat(12) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("truncate" as const),
      fracToRemove: fc.constantFrom(0.3, 0.5, 0.9),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("rewind" as const),
      pick: fc.nat(),
      includeTargetMessage: fc.boolean(),
    }),
  },
);

type Kind = "ask" | "reply" | "race" | "fold";

/** What the model saw when a UI message came, and after it where it is about a fold. */
interface Moment {
  readonly kind: Kind;
  readonly before: readonly Message[];
  readonly after: readonly Message[];
}

interface World extends Histories {
  readonly nowMs: number;
  readonly moments: ReadonlyMap<number, Moment>;
}

const START: World = { ui: [], api: [], nowMs: 1_000, moments: new Map() };

interface Happening {
  readonly event: UiMessage;
  readonly kind: Kind;
  readonly before?: readonly Message[];
  readonly after: readonly Message[];
}

function happen(world: World, { event, kind, before = world.api, after }: Happening): World {
  const moments = new Map(world.moments).set(event.ts, { kind, before, after });
  const nowMs = Math.max(event.ts, ...after.map(({ ts }) => ts ?? 0)) + 1;
  return { ui: [...world.ui, event], api: deepFreeze(after), nowMs, moments };
}

function perform(world: World, each: Operation): World {
  const { api, nowMs } = world;
  switch (each.type) {
    case "ask": {
      const after = [...api, said(nowMs + each.lagMs, "user")];
      return happen(world, { event: shown(nowMs, "user_feedback"), kind: "ask", after });
    }
    case "reply":
      return happen(world, { event: shown(nowMs), kind: "reply", after: [...api, said(nowMs, "assistant")] });
    case "race": {
      // The first message of all answers nothing.
      if (api.length === 0) return perform(world, { type: "ask", lagMs: 0 });
      const replies = Array.from({ length: each.replies }, (_, index) => said(nowMs + 1 + index, "assistant"));
      const before = [...api, ...replies];
      const after = [...before, said(nowMs + 1 + each.replies, "user")];
      return happen(world, { event: shown(nowMs, "user_feedback"), kind: "race", before, after });
    }
    case "condense": {
      const after = condense(api, each, `k${nowMs}`);
      return after === api ? world : happen(world, { event: condensed(nowMs, `k${nowMs}`), kind: "fold", after });
    }
    case "truncate": {
      const { messages, truncationId } = truncateConversation(api, each.fracToRemove, "task");
      if (truncationId === undefined) return world;
      return happen(world, { event: truncated(nowMs, truncationId), kind: "fold", after: messages });
    }
    case "rewind":
      return goBack(world, each).world;
  }
}

/** Hides a span of the visible messages behind a summary that stands where they did. */
function condense(
  api: readonly Message[],
  { from, to }: { readonly from: number; readonly to: number },
  condenseId: string,
): readonly Message[] {
  const standIns = collectStandIns(api);
  const visible = [...api.entries()].filter(([, message]) => !isHidden(message, standIns));
  const [start, end] = [1 + Math.min(from, to), 2 + Math.max(from, to)];
  const hidden = new Set(visible.slice(start, end).map(([index]) => index));
  const next = visible[end]?.[1];
  if (hidden.size === 0 || next?.ts === undefined) return api;
  const tagged = api.map((message, index) =>
    hidden.has(index) ? { ...message, condenseParent: condenseId } : message,
  );
  return tagged.toSpliced(Math.max(...hidden) + 1, 0, summary(next.ts - 1, condenseId));
}

/** Rewinds, and says what must have come of it. */
function goBack(world: World, { pick, includeTargetMessage }: { pick: number; includeTargetMessage: boolean }) {
  const index = pick % Math.max(1, world.ui.length);
  const target = world.ui[index];
  const moment = target && world.moments.get(target.ts);
  if (target === undefined || moment === undefined) return { world };
  // Only what a person can edit, or what only the person saw, can stay when the model's side of it goes.
  const isKept = includeTargetMessage && moment.kind !== "reply";
  const rewound = rewind(world, target.ts, { includeTargetMessage: isKept });
  const expected = {
    ui: world.ui.slice(0, isKept ? index + 1 : index),
    api: isKept && moment.kind === "fold" ? moment.after : moment.before,
  };
  const back: World = { ...world, ...rewound };
  // An edited message is sent again.
  const isEdited = isKept && moment.kind !== "fold";
  const next: World = isEdited
    ? { ...back, api: deepFreeze([...rewound.api, said(back.nowMs, "user")]), nowMs: back.nowMs + 1 }
    : back;
  return { world: next, rewound, expected, target, moment, isKept };
}

const task = fc
  .array(operation, { minLength: 1, maxLength: 30, size: "max" })
  .map((each) => each.reduce(perform, START));
const choice = fc.record({ pick: fc.nat(), includeTargetMessage: fc.boolean() });

describe("a rewind of any task to any message", () => {
  test("gives both histories exactly as they were at that moment", () => {
    fc.assert(
      fc.property(task, choice, (world, chosen) => {
        const { rewound, expected } = goBack(world, chosen);
        expect(rewound).toEqual(expected);
      }),
      PROPERTY_RUNS,
    );
  });

  test("leaves no tag that points to nothing, and with skipCleanup the same view", () => {
    fc.assert(
      fc.property(task, choice, (world, chosen) => {
        const { rewound, target, isKept } = goBack(world, chosen);
        if (rewound === undefined || target === undefined) return;
        const { condenseIds, truncationIds } = collectStandIns(rewound.api);
        for (const { condenseParent, truncationParent } of rewound.api) {
          expect(condenseParent === undefined || condenseIds.has(condenseParent)).toBe(true);
          expect(truncationParent === undefined || truncationIds.has(truncationParent)).toBe(true);
        }
        const untidy = rewind(world, target.ts, { includeTargetMessage: isKept, skipCleanup: true }).api;
        const shownTexts = (api: readonly Message[]) => {
          const standIns = collectStandIns(api);
          return api.filter((message) => !isHidden(message, standIns)).map(({ content }) => content);
        };
        expect(shownTexts(untidy)).toEqual(shownTexts(rewound.api));
      }),
      PROPERTY_RUNS,
    );
  });

  test("changes nothing when it is done again", () => {
    fc.assert(
      fc.property(task, choice, (world, chosen) => {
        const { rewound, target, moment, isKept } = goBack(world, chosen);
        // Once its user message is gone, nothing tells a reply that came late from one that came after.
        if (rewound === undefined || !isKept || moment.kind === "race") return;
        const again = rewind(rewound, target.ts, { includeTargetMessage: true });
        expect(again.ui).toBe(rewound.ui);
        expect(again.api).toBe(rewound.api);
      }),
      PROPERTY_RUNS,
    );
  });
});
