/** What the writers say: it follows from who says it and when, so that what was stored can be told from what was said. */
import type { Message } from "../../src/index.ts";
import { assistant, call, result, user } from "../support/messages.ts";
import { between, type Random, seededRandom } from "./random.ts";

/** The first message of a session that counts; `session.update` counts it up. */
export const COUNTER_ID = "counter";

export function counterMessage(count: number): Message {
  return { ...user(`count ${count}`), id: COUNTER_ID, ts: 1 };
}

export function countOf(content: unknown): number {
  return Number(/^count (\d+)$/.exec(String(content))?.[1]);
}

/** The messages of one append, which are valid behind any other turn. */
export function turnOf(writer: string, turn: number): readonly Message[] {
  const random = seededRandom(writer, turn);
  const words = () => prose(random, `${writer} in turn ${turn}`);
  const said = sayings(between(random, 0, 3), { toolId: `${writer}-${turn}`, words });
  return said.map((message, index) => ({
    ...message,
    id: `${writer}:${turn}:${index}:${said.length}`,
    ts: turn * 1_000 + index,
  }));
}

function sayings(kind: number, { toolId, words }: { readonly toolId: string; readonly words: () => string }) {
  if (kind === 0) return [user(words())];
  if (kind === 1) return [assistant(words())];
  if (kind === 2) return [user(words()), assistant(words())];
  return [
    assistant(words(), call(toolId, "read_file", { path: `src/${toolId}.ts` })),
    user(result(toolId, words())),
    assistant(words()),
  ];
}

/** Where a message belongs; undefined for messages that no writer said. */
export interface TurnPlace {
  readonly writer: string;
  readonly turn: number;
  readonly index: number;
  readonly isLast: boolean;
}

export function placeOf(id: string | undefined): TurnPlace | undefined {
  const [, writer, turn, index, count] = /^(.+):(\d+):(\d+):(\d+)$/.exec(id ?? "") ?? [];
  if (writer === undefined) return undefined;
  return { writer, turn: Number(turn), index: Number(index), isLast: Number(index) + 1 === Number(count) };
}

const WORDS = ["tide", "löst", "src/rotate.ts", "不要", "fails", "\u0000", "🜁", "must keep 4711", "\n"];

function prose(random: Random, start: string): string {
  // Now and then one that is large for the window.
  const length = between(random, 5, random() < 0.05 ? 900 : 120);
  const words = Array.from({ length }, () => WORDS[between(random, 0, WORDS.length - 1)]);
  return `${start}: ${words.join(" ")} end`;
}
