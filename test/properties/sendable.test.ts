/** Every view that a session prepares is taken by the provider: sent with the official client to a strict server on loopback. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Message } from "../../src/core/message/message.ts";
import { modelCondenser } from "../../src/engine/condense/model-condenser.ts";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Engine, EngineOptions } from "../../src/engine/engine.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { isMessageWire, type MessageWire, WIRES } from "../../src/messages/wires.ts";
import { type ModelServer, startModelServer } from "../../src/testing/index.ts";
import { GOOD_SUMMARY, handler, replies } from "../support/handlers.ts";
import { MESSAGE_WIRES, windowOf } from "../support/message-wires.ts";
import { deepFreeze } from "../support/messages.ts";
import { type Damage, damage, damaged } from "./damage.ts";
import { buildEpisode, type Episode, episode, labels, opening } from "./long-conversations.ts";
import { LONG_TIMEOUT_MS, longRuns, withKnownCases } from "./long-runs.ts";
import { STRATEGIES } from "./standing-runs.ts";

const ENGINES: Readonly<Record<string, (options: EngineOptions) => Engine>> = {
  ...STRATEGIES,
  hybrid: (options) =>
    createEngine({
      ...options,
      condenser: modelCondenser(handler(replies(GOOD_SUMMARY), { contextWindow: 200_000 }), { strategy: "summary" }),
    }),
};

const wires: readonly MessageWire[] = Object.keys(WIRES).filter(isMessageWire);

interface Step {
  readonly episode: Episode;
  readonly damage: Damage | undefined;
}

const plan = fc.integer({ min: 4_000, max: 12_000 }).chain((contextWindow) => {
  const step = fc.record<Step>({
    episode: episode(contextWindow),
    damage: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: damage }),
  });
  return fc.record({
    contextWindow: fc.constant(contextWindow),
    labels,
    opening: opening(contextWindow).map((each): Step => ({ episode: each, damage: undefined })),
    steps: fc.array(step, { minLength: 2, maxLength: 6, size: "max" }),
  });
});

/** The known ones fold. */
const RUNS = withKnownCases(longRuns(40), { of: plan, count: 2 });

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer({ contextWindow: windowOf });
});

afterAll(() => server.close());

describe.each(Object.keys(ENGINES))("with %s", (name) => {
  test("every prepared prompt is taken on every wire", { timeout: LONG_TIMEOUT_MS }, async () => {
    const tally = { sent: 0, folds: 0 };
    const property = fc.asyncProperty(plan, async ({ contextWindow, labels: labelled, opening: first, steps }) => {
      const engine = ENGINES[name]?.({ model: "scripted", contextWindow, maxTokens: 500, now: () => 0 });
      const session = await engine?.session("task", { systemPrompt: "Mind the harbour log." });
      let firstTurn = 0;
      for (const step of [first, ...steps]) {
        await session?.append(...messagesOf(step, { firstTurn, labels: labelled }));
        firstTurn += step.episode.turns.length;
        if (session !== undefined) await sendOnAll(session, contextWindow, tally);
      }
    });
    await fc.assert(property, RUNS);
    expect(tally.sent).toBeGreaterThan(0);
    expect(tally.folds).toBeGreaterThan(0);
  });
});

function messagesOf(step: Step, place: Parameters<typeof buildEpisode>[1]): readonly Message[] {
  const messages = buildEpisode(step.episode, place);
  return deepFreeze(step.damage === undefined ? messages : damaged(messages, step.damage));
}

interface Tally {
  sent: number;
  folds: number;
}

async function sendOnAll(session: Session, contextWindow: number, tally: Tally): Promise<void> {
  for (const wire of wires) {
    const { foldIds } = await sendOn(wire, session, contextWindow);
    tally.sent++;
    tally.folds += foldIds.length;
  }
}

/** What the server refuses is thrown. */
async function sendOn<Wire extends MessageWire>(wire: Wire, session: Session, contextWindow: number) {
  const { modelOf, send } = MESSAGE_WIRES[wire];
  const prepared = await session.prepare({ as: wire });
  const { report } = prepared;
  await send(server, modelOf(contextWindow), prepared);
  return report;
}
