/** Every view that a session prepares is taken by the provider: sent with the official client to a strict server on loopback. */
import type Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import type { OpenAI } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Message } from "../../src/core/message/message.ts";
import { modelCondenser } from "../../src/engine/condense/model-condenser.ts";
import { providerCondenser } from "../../src/engine/condense/provider-condenser.ts";
import { createBareEngine, createEngine } from "../../src/engine/create-engine.ts";
import type { Engine, EngineOptions } from "../../src/engine/engine.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { isMessageWire, type MessageWire, WIRES } from "../../src/messages/wires.ts";
import { type ModelServer, startModelServer } from "../../src/testing/index.ts";
import { GOOD_SUMMARY, handler, replies } from "../support/handlers.ts";
import { anthropicClient, MESSAGE_WIRES, openAiClient, windowOf } from "../support/message-wires.ts";
import { deepFreeze, user } from "../support/messages.ts";
import { type Damage, damage, damaged } from "./damage.ts";
import { buildEpisode, type Episode, episode, labels, opening } from "./long-conversations.ts";
import { LONG_TIMEOUT_MS, longRuns, withKnownCases } from "./long-runs.ts";
import { STRATEGIES } from "./standing-runs.ts";

const ENGINES: Readonly<Record<string, (options: EngineOptions) => Engine>> = {
  ...STRATEGIES,
  "a summary, else a ledger": (options) =>
    createEngine({
      ...options,
      condenser: modelCondenser(handler(replies(GOOD_SUMMARY), { contextWindow: 200_000 }), { strategy: "summary" }),
    }),
  "Anthropic's compaction": (options) => compacting(options, anthropicClient(server.url), "claude-w1000000"),
  "OpenAI's compaction": (options) => compacting(options, openAiClient(server), "gpt-w1000000"),
};

/** Without our validators: what a provider writes in a test says little. */
function compacting(options: EngineOptions, client: Anthropic | OpenAI, model: string): Engine {
  return createBareEngine({
    ...options,
    condenser: providerCondenser(client, { model }),
    configuration: { validation: { enabled: false } },
  });
}

const wires: readonly MessageWire[] = Object.keys(WIRES).filter(isMessageWire);

interface Step {
  readonly episode: Episode;
  readonly damage: Damage | undefined;
  /** Whether a person says something before it, and whether the session is condensed by hand after it. */
  readonly isAsked: boolean;
  readonly isCondensed: boolean;
}

const plan = fc.integer({ min: 4_000, max: 12_000 }).chain((contextWindow) => {
  const step = fc.record<Step>({
    episode: episode(contextWindow),
    damage: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: damage }),
    isAsked: fc.boolean(),
    isCondensed: fc.nat(3).map((draw) => draw === 0),
  });
  return fc.record({
    contextWindow: fc.constant(contextWindow),
    labels,
    opening: opening(contextWindow).map(
      (each): Step => ({ episode: each, damage: undefined, isAsked: false, isCondensed: false }),
    ),
    steps: fc.array(step, { minLength: 2, maxLength: 6, size: "max" }),
  });
});

/** The known ones fold. */
const RUNS = withKnownCases(longRuns(40), { of: plan, count: 3 });

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer({ contextWindow: windowOf });
});

afterAll(() => server.close());

describe.each(Object.keys(ENGINES))("with %s", (name) => {
  test("every prepared prompt is taken on every wire", { timeout: LONG_TIMEOUT_MS }, async () => {
    const tally = { sent: 0, refused: 0, folds: 0, condensed: 0 };
    const property = fc.asyncProperty(plan, async ({ contextWindow, labels: labelled, opening: first, steps }) => {
      const engine = ENGINES[name]?.({ model: "scripted", contextWindow, maxTokens: 500, now: () => 0 });
      const session = await engine?.session("task", { systemPrompt: "Mind the harbour log." });
      let firstTurn = 0;
      for (const step of [first, ...steps]) {
        await session?.append(...messagesOf(step, { firstTurn, labels: labelled }));
        firstTurn += step.episode.turns.length;
        if (session === undefined) continue;
        await sendOnAll(session, contextWindow, tally);
        if (!step.isCondensed) continue;
        if ((await session.condense()).condenseId !== undefined) tally.condensed++;
        await sendOnAll(session, contextWindow, tally);
      }
    });
    try {
      await fc.assert(property, RUNS);
    } finally {
      const { sent, refused, folds, condensed } = tally;
      process.stdout.write(
        `sendable, ${name}: ${sent} sent, ${refused} refused, ${folds} folds, ${condensed} condensed\n`,
      );
    }
    expect(tally.refused).toBe(0);
    expect(tally.sent).toBeGreaterThan(0);
    expect(tally.folds).toBeGreaterThan(0);
    if (name !== "truncation") expect(tally.condensed).toBeGreaterThan(0);
  });
});

function messagesOf(step: Step, place: Parameters<typeof buildEpisode>[1]): readonly Message[] {
  const asked: readonly Message[] = step.isAsked ? [user(`Now part ${place.firstTurn}.`)] : [];
  const messages = [...asked, ...buildEpisode(step.episode, place)];
  return deepFreeze(step.damage === undefined ? messages : damaged(messages, step.damage));
}

interface Tally {
  sent: number;
  refused: number;
  folds: number;
  /** Of the folds, and by hand. */
  condensed: number;
}

async function sendOnAll(session: Session, contextWindow: number, tally: Tally): Promise<void> {
  for (const wire of wires) {
    tally.sent++;
    try {
      const { foldIds } = await sendOn(wire, session, contextWindow);
      tally.folds += foldIds.length;
      tally.condensed += foldIds.filter((foldId) => foldId.startsWith("condense-")).length;
    } catch (error) {
      tally.refused++;
      throw error;
    }
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
