/** An agent that works on in the room that its system prompt leaves, and what of each folded request the model was shown. */
import { expect } from "vitest";
import { countTextTokens } from "../../src/index.ts";
import type { ModelRequest } from "../../src/testing/index.ts";
import type { SdkKind } from "./gateway-client.ts";
import { openWithOverhead } from "./gateway-overhead.ts";
import { type GatewayWorld, startWorld } from "./gateway-world.ts";

export interface RoomCase {
  readonly window: number;
  readonly overheadTokens: number;
  readonly kind: SdkKind;
  /** Whether the gateway knows the window before the server refuses something. */
  readonly isTold: boolean;
}

const TASK =
  "Port the billing exporter in src/exporter to the streaming writer, file by file, until quillmarten compiles.";

/** The first two are said with the task, the others while the agent works. */
const RULES = [
  "Never push to the branch named brambleford.",
  "Always write dates the way tamarindo.ts does.",
  "Never edit files below vendor/osprelyn.",
  "Always run the script called wexcombe before you say that something works.",
  "Never log anything that comes from the table pellathorn.",
];
const RULES_WITH_TASK = 2;
/** Turns between two rules that are said later. */
const RULE_EVERY = 4;

const GUIDE = Array.from(
  { length: 25 },
  (_, line) =>
    `- Module m${line * 17 + 3} keeps its fixtures in fixtures/set-${line * 29 + 11} and is owned by team ${line}.`,
);

const OPENING = `<system-reminder>
Contents of /repo/CLAUDE.md (project instructions):

# Billing

${GUIDE.join("\n")}
</system-reminder>
${TASK}
${RULES.slice(0, RULES_WITH_TASK).join("\n")}`;

const LEAST_RESULT_TOKENS = 200;
const MOST_RESULT_TOKENS = 1_500;
/** A larger one would not leave room for a second: what happens then is for other tests. */
const MOST_RESULT_SHARE = 0.125;
const LEAST_TURNS = 45;
/** Enough for several folds. */
const ROOMS_OF_RESULTS = 2.2;

/** One request as the server received it. */
interface Sent {
  readonly request: ModelRequest;
  readonly isNewFold: boolean;
  readonly said: Said;
}

/** What the agent had been told when it sent a request. */
interface Said {
  readonly rules: readonly string[];
  readonly newestResults: readonly string[];
}

/** Shares are of what system prompt and tools leave of the window. */
export interface RoomFigures {
  readonly room: RoomCase;
  /** By the server's count. */
  readonly freeTokens: number;
  readonly afterFold: Shares;
  /** In the last request before each fold. */
  readonly beforeFold: Shares;
  readonly requests: number;
  readonly folds: number;
  readonly foldedRequests: number;
  /** The folded requests that show it, all of it. */
  readonly shows: { readonly task: number; readonly rules: number; readonly guide: number; readonly results: number };
}

export interface Shares {
  readonly least: number;
  readonly mean: number;
}

export interface RoomRun {
  readonly world: GatewayWorld;
  readonly figures: RoomFigures;
}

/** Works until the room has been filled several times. */
export async function workInRoom(room: RoomCase): Promise<RoomRun> {
  const { window, isTold } = room;
  const world = await startWorld({
    server: { contextWindow: window },
    gateway: isTold ? { windows: { all: window } } : {},
  });
  const said = await work(room, world);
  await expect.poll(() => world.turns.length).toBe(said.length);
  const answered = world.server.requests.filter(({ outcome }) => outcome === "answered");
  expect(answered).toHaveLength(said.length);
  const sent = answered.map((request, index): Sent => {
    const isNewFold = (world.turns[index]?.foldIds.length ?? 0) > 0;
    return { request, isNewFold, said: said[index] ?? { rules: [], newestResults: [] } };
  });
  return { world, figures: figuresOf(room, sent) };
}

async function work({ window, overheadTokens, kind }: RoomCase, { url }: GatewayWorld): Promise<readonly Said[]> {
  const client = openWithOverhead(kind, url, overheadTokens);
  const freeTokens = window - overheadTokens;
  const mostTokens = Math.min(MOST_RESULT_TOKENS, Math.floor(MOST_RESULT_SHARE * freeTokens));
  const said: Said[] = [];
  let [rules, newestResults]: [readonly string[], readonly string[]] = [RULES.slice(0, RULES_WITH_TASK), []];
  let resultTokens = 0;
  client.say(OPENING);
  for (let turn = 0; turn < LEAST_TURNS || resultTokens < ROOMS_OF_RESULTS * freeTokens; turn++) {
    said.push({ rules, newestResults });
    const { callCount } = await client.ask(turn % 2 === 1);
    const sizes = Array.from({ length: callCount }, (_, call) => sizeOf(turn + call, mostTokens));
    newestResults = sizes.map((tokens, call) => resultText(`t${turn}c${call}`, tokens));
    client.giveOutputs(newestResults);
    resultTokens += sizes.reduce((sum, tokens) => sum + tokens, 0);
    const rule = turn % RULE_EVERY === RULE_EVERY - 1 ? RULES[rules.length] : undefined;
    if (rule === undefined) continue;
    client.say(rule);
    rules = [...rules, rule];
  }
  return said;
}

/** Mixed, and the same in every run. */
function sizeOf(index: number, mostTokens: number): number {
  return LEAST_RESULT_TOKENS + ((index * 389) % (mostTokens - LEAST_RESULT_TOKENS + 1));
}

function resultText(name: string, tokens: number): string {
  const lines: string[] = [];
  for (let left = tokens, line = 0; left > 0; line++) {
    const text = `export const ${name}_${line} = compute(${line * 31}, "${name}-${line * 7}"); // step ${line}`;
    lines.push(text);
    left -= countTextTokens(`${text}\n`);
  }
  return lines.join("\n");
}

function figuresOf(room: RoomCase, sent: readonly Sent[]): RoomFigures {
  // The first request holds nothing else.
  const overheadTokens = (sent[0]?.request.promptTokens ?? 0) - countTextTokens(OPENING);
  const freeTokens = room.window - overheadTokens;
  const shares = sent.map(({ request }) => (request.promptTokens - overheadTokens) / freeTokens);
  const foldedAt = [...sent.keys()].filter((index) => sent[index]?.isNewFold);
  const folded = sent.slice(foldedAt[0] ?? sent.length);
  const showing = (texts: (said: Said) => readonly string[]) =>
    folded.filter(({ request, said }) => texts(said).every((text) => shows(request, text))).length;
  return {
    room,
    freeTokens,
    afterFold: sharesOf(foldedAt.map((index) => shares[index] ?? 0)),
    beforeFold: sharesOf(foldedAt.map((index) => shares[index - 1] ?? 0)),
    requests: sent.length,
    folds: foldedAt.length,
    foldedRequests: folded.length,
    shows: {
      task: showing(() => [TASK]),
      rules: showing(({ rules }) => rules),
      guide: showing(() => GUIDE),
      results: showing(({ newestResults }) => newestResults),
    },
  };
}

function shows({ rawBody }: ModelRequest, text: string): boolean {
  return rawBody.includes(JSON.stringify(text).slice(1, -1));
}

function sharesOf(shares: readonly number[]): Shares {
  return { least: Math.min(...shares), mean: shares.reduce((sum, share) => sum + share, 0) / shares.length };
}
