/**
 * A process that works on sessions until it is stopped or killed, and tells each thing it did as soon as its promise has resolved.
 * Lines are written synchronously: what a reader has not got was not acknowledged.
 */
import { once } from "node:events";
import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { setTimeout as delay } from "node:timers/promises";
import { countContentTokens } from "../../src/core/index.ts";
import { PalimpsestError, type Session } from "../../src/index.ts";
import { engineOn, hashMessages, openStore } from "./open-store.ts";
import { between, pickWeighted, seededRandom } from "./random.ts";
import { COUNTER_ID, counterMessage, countOf, placeOf, turnOf } from "./turns.ts";
import type { OperationName, Outcome, SessionTask, WriterLine, WriterTask } from "./writer-lines.ts";

const PAUSE_AFTER_FAILURE_MS = 20;
/** How many of the newest messages a rewind may set aside. */
const REWIND_REACH = 12;

const task: WriterTask = JSON.parse(process.argv[2] ?? "");
const random = seededRandom(task.seed, task.name);
const engine = engineOn(openStore(task.place));
let nextTurn = 0;
let longestMs = 0;
let isStopping = false;

async function live(): Promise<void> {
  const opened = new Map<string, Session>();
  const endsAt = performance.now() + (task.durationMs ?? Number.POSITIVE_INFINITY);
  while (!isStopping && performance.now() < endsAt) {
    const chosen = task.sessions[between(random, 0, task.sessions.length - 1)];
    if (chosen === undefined) return;
    const session = opened.get(chosen.id) ?? (await open(chosen));
    if (session === undefined) continue;
    opened.set(chosen.id, session);
    const operation = pickWeighted<OperationName>(random, chosen.weights);
    await act(session, operation);
    // A kill must find folds as often as messages.
    if (operation === "append" && (chosen.weights.prepare ?? 0) > 0) await act(session, "prepare");
  }
}

async function open({ id }: SessionTask): Promise<Session | undefined> {
  let session: Session | undefined;
  await attempt({ session: id, operation: "open" }, async () => {
    const found = await engine.session(id);
    if ((await found.log()).length === 0) await found.append(counterMessage(0));
    // A lock outlives its holder, by half a minute: lives are shorter than that.
    if (task.isAlone) await found.unlock(COUNTER_ID);
    // Not before it has its counter: where a crash comes in between, it is opened once more.
    session = found;
    return { type: "opened", session: id };
  });
  return session;
}

async function act(session: Session, operation: OperationName): Promise<void> {
  const turn = operation === "append" ? { turn: nextTurn++ } : {};
  await attempt({ session: session.id, operation, ...turn }, () => OPERATIONS[operation](session, turn.turn ?? 0));
}

interface Attempted {
  readonly session: string;
  readonly operation: OperationName | "open";
  readonly turn?: number;
}

async function attempt(attempted: Attempted, run: () => Promise<Outcome>): Promise<void> {
  say({ type: "began", ...attempted });
  const startedAt = performance.now();
  try {
    say(await run());
  } catch (error) {
    const code = error instanceof PalimpsestError ? error.code : "unexpected";
    const reason = error instanceof Error ? (code === "unexpected" ? `${error.stack}` : error.message) : String(error);
    say({ type: "refused", ...attempted, code, reason });
    await delay(PAUSE_AFTER_FAILURE_MS);
  }
  longestMs = Math.max(longestMs, performance.now() - startedAt);
}

const OPERATIONS: Record<OperationName, (session: Session, turn: number) => Promise<Outcome>> = {
  append: async (session, turn) => {
    await session.append(...turnOf(task.name, turn));
    return { type: "appended", session: session.id, turn };
  },
  prepare: async (session) => {
    const { messages } = await session.prepare();
    return { type: "prepared", session: session.id, messages: messages.length, hash: hashMessages(messages) };
  },
  condense: async (session) => {
    const { error } = await session.condense();
    return { type: "condensed", session: session.id, ...(error === undefined ? {} : { error }) };
  },
  update: async (session) => {
    const [changed] = await session.update(COUNTER_ID, (messages) =>
      messages.map(({ content }) => counterMessage(countOf(content) + 1)),
    );
    return { type: "updated", session: session.id, count: countOf(changed?.content) };
  },
  rewind: async (session) => {
    const ends = (await session.log()).filter(({ id }) => id === COUNTER_ID || placeOf(id)?.isLast === true);
    const target = ends.at(-between(random, 1, Math.min(ends.length, REWIND_REACH)));
    return rewound(session, await session.rewind({ toMessage: target?.id ?? COUNTER_ID }), false);
  },
  undo: async (session) => rewound(session, await session.rewind({ undo: true }), true),
  checkpoint: async (session) => {
    const { id } = await session.checkpoint({ state: { by: task.name } });
    return { type: "checkpointed", session: session.id, checkpointId: id };
  },
  look: async (session) => ({ type: "looked", session: session.id, version: await session.version() }),
};

function rewound(
  { id }: Session,
  { version, toVersion }: { readonly version: number; readonly toVersion: number },
  isUndo: boolean,
): Outcome {
  return { type: "rewound", session: id, version, toVersion, isUndo };
}

function say(line: WriterLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

// What is slow at first is not part of any life.
countContentTokens("warm up");
// Those who are killed have no other chance.
flushCompileCache();
process.stdin.on("end", () => {
  isStopping = true;
});
say({ type: "ready" });
await once(process.stdin, "data");
await live();
say({ type: "stopped", longestMs: Math.round(longestMs) });
process.exit();
