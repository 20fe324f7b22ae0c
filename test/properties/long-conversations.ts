/** Conversations that outgrow a window: episodes of an agent's work, from a word to far more than the model can take. */
import fc from "fast-check";
import type { Block, Message } from "../../src/core/message/message.ts";
import { buildTurns, type Labels, type TurnPlan, turnPlan } from "./conversations.ts";

/** Some turns in a row; where it is open, the results of the last turn's calls are still to come. */
export interface Episode {
  readonly turns: readonly TurnPlan[];
  readonly isOpen: boolean;
}

const DENSE_LINES = [
  { line: "🜁🜂\n", tokens: 7 },
  { line: "ᚠᛇ\n", tokens: 7 },
  { line: "line of log 12:30 ok\n", tokens: 9 },
] as const;

/** About so many tokens, mostly in few characters: what is large in tokens stays cheap to make and to count. */
export function denseText(tokens: number, variant = 0): string {
  const { line, tokens: perLine } = DENSE_LINES[variant % DENSE_LINES.length] ?? DENSE_LINES[0];
  return `·${line.repeat(Math.ceil(tokens / perLine))}·`;
}

const openers = fc.constantFrom("Fix src/auth/rotate.ts", "家族 report", "Never touch .env; run `make test` first");

/** A share of the window, mostly a small one. */
const share = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: 0, max: 0.15, noNaN: true }) },
  { weight: 2, arbitrary: fc.double({ min: 0.15, max: 0.6, noNaN: true }) },
  { weight: 1, arbitrary: fc.double({ min: 0.6, max: 1.6, noNaN: true }) },
);
const variant = fc.nat(2);
const important = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ important: true }) },
);

function bigOutput(contextWindow: number): fc.Arbitrary<TurnPlan> {
  const output = fc.tuple(share, variant).map(([of, which]) => denseText(of * contextWindow, which));
  return fc
    .record({ outputs: fc.array(output, { minLength: 1, maxLength: 3 }), isSpread: fc.boolean(), extra: important })
    .map(
      ({ outputs, isSpread, extra }): TurnPlan => ({
        type: "tools",
        calls: outputs.map((each, rank) => ({
          before: rank === 0 ? [{ type: "reasoning", text: "·look·" }] : [],
          name: rank === 0 ? "read_file" : "run_command",
          input: { path: `src/file-${each.length % 5}.ts` },
          output: rank % 2 === 0 ? each : [{ type: "text", text: each }],
          isError: rank === 2,
          rank: 9 - rank,
        })),
        after: [],
        isSpread,
        extra,
      }),
    );
}

function bigWords(contextWindow: number): fc.Arbitrary<TurnPlan> {
  return fc
    .record({
      of: share,
      variant,
      role: fc.constantFrom<Message["role"]>("user", "assistant"),
      extra: important,
      openers,
    })
    .map(
      ({ of, variant: which, role, extra, openers: opener }): TurnPlan => ({
        type: "say",
        role,
        content: `${opener}\n${denseText(of * contextWindow, which)}`,
        extra,
      }),
    );
}

/** Linked images have no byte of their own, and 300 tokens each. */
const manyImages = fc.integer({ min: 1, max: 25 }).map((count): TurnPlan => {
  const image: Block = { type: "image", source: { type: "url", url: "https://example.invalid/screen.png" } };
  return { type: "say", role: "user", content: Array.from({ length: count }, () => image), extra: {} };
});

/** An agent that works on for long without a word from the person. */
const longRun = fc
  .record({ length: fc.integer({ min: 5, max: 25 }), variant, tokens: fc.nat(400) })
  .map(({ length, variant: which, tokens }): readonly TurnPlan[] =>
    Array.from(
      { length },
      (_, index): TurnPlan => ({
        type: "tools",
        calls: [
          {
            before: index % 4 === 0 ? [{ type: "text", text: `·step ${index}·` }] : [],
            name: index % 3 === 0 ? "run_command" : "read_file",
            input: { path: `src/part-${index % 6}.ts` },
            output: denseText(tokens, which + (index % 2)),
            isError: index % 7 === 6,
            rank: 0,
          },
        ],
        after: [],
        isSpread: false,
        extra: {},
      }),
    ),
  );

const coverage = fc.constantFrom<Labels["ids"]>("all", "all", "none", "some");
export const labels: fc.Arbitrary<Labels> = fc.record({ ids: coverage, times: coverage });

/** What the person asked for in the first place. */
export function opening(contextWindow: number): fc.Arbitrary<Episode> {
  return fc.tuple(openers, share, variant).map(
    ([opener, of, which]): Episode => ({
      turns: [{ type: "say", role: "user", content: `${opener}\n${denseText(of * contextWindow, which)}`, extra: {} }],
      isOpen: false,
    }),
  );
}

/** The next thing that happens in a conversation with a model of this window. */
export function episode(contextWindow: number): fc.Arbitrary<Episode> {
  const single = (turn: fc.Arbitrary<TurnPlan>) => turn.map((each): readonly TurnPlan[] => [each]);
  const turns = fc.oneof(
    { weight: 3, arbitrary: fc.array(turnPlan, { minLength: 1, maxLength: 4 }) },
    { weight: 4, arbitrary: single(bigOutput(contextWindow)) },
    { weight: 2, arbitrary: single(bigWords(contextWindow)) },
    { weight: 1, arbitrary: single(manyImages) },
    { weight: 2, arbitrary: longRun },
  );
  const isOpen = fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) });
  return fc.record({ turns, isOpen });
}

export interface EpisodePlace {
  /** How many turns came before. */
  readonly firstTurn: number;
  readonly labels: Labels;
}

/** The messages of an episode at its place in a conversation. */
export function buildEpisode({ turns, isOpen }: Episode, { firstTurn, labels }: EpisodePlace): readonly Message[] {
  const messages = buildTurns({ turns, labels }, firstTurn);
  const lastCalls = messages.findLastIndex((message) => message.role === "assistant");
  return isOpen && turns.at(-1)?.type === "tools" ? messages.slice(0, lastCalls + 1) : messages;
}
