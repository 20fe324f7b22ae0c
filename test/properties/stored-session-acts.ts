/** What engines do to sessions on a store, and what the model says of it. */
import { expect } from "vitest";
import { restoreMessages } from "../../src/core/history/restore.ts";
import type { Message } from "../../src/core/message/message.ts";
import type { Store } from "../../src/core/ports/store.ts";
import { createEngine } from "../../src/engine/create-engine.ts";
import type { Engine } from "../../src/engine/engine.ts";
import type { Session } from "../../src/engine/session/session.ts";
import { seen } from "../support/stored-sessions.ts";
import { buildTurns, type TurnPlan } from "./conversations.ts";
import { countCharacters } from "./operations.ts";
import {
  afterAppend,
  afterEvents,
  afterRewind,
  afterRewrite,
  branchedAt,
  momentAt,
  momentNow,
  type SessionModel,
} from "./stored-session-model.ts";
import type { Act, StoredPlan } from "./stored-session-plans.ts";

/** What happened, so that a test can see that it tested something. */
export interface StoredTally {
  folded: number;
  restored: number;
  rewound: number;
  undone: number;
  branched: number;
  reopened: number;
}

export interface StoredWorld {
  /** Two handles on one place. */
  readonly stores: readonly Store[];
  /** Another handle on the same place. */
  readonly open: () => Store;
  /** Ids of sessions that no other run uses begin with it. */
  readonly prefix: string;
  readonly tally: StoredTally;
}

/** One session, and what it must be. */
export interface Line {
  readonly id: string;
  model: SessionModel;
}

export interface Run extends StoredWorld {
  readonly plan: StoredPlan;
  /** To be closed at the end. */
  readonly opened: Store[];
  readonly engines: Engine[];
  readonly lines: Line[];
  turns: number;
}

const WINDOW = { model: "test-model", contextWindow: 1_000, maxTokens: 100 } as const;

export function engineOn(store: Store, { condenses }: StoredPlan): Engine {
  const configuration = condenses ? {} : { strategies: { primary: "truncation" as const } };
  return createEngine({ ...WINDOW, now: () => 0, store, configuration, countTokens: countCharacters });
}

export async function sessionOf({ engines }: Run, engine: number, { id }: Line): Promise<Session> {
  const session = await engines[engine]?.session(id);
  if (session === undefined) throw new Error(`There is no engine ${engine}.`);
  return session;
}

interface Performed {
  readonly engine: number;
  readonly act: Act;
}

/** Does it, to the session and to its model. */
export async function perform(run: Run, line: Line, { engine, act }: Performed): Promise<void> {
  const session = await sessionOf(run, engine, line);
  const { tally } = run;
  switch (act.type) {
    case "append":
      return append(run, line, { session, turns: act.turns });
    case "appendBoth":
      return appendBoth(run, line, act);
    case "prepareMeanwhile": {
      const other = await sessionOf(run, 1 - engine, line);
      const messages = build(run, act.turns);
      await Promise.all([prepare(session), other.append(...messages)]);
      return takeFolds(line, session, messages);
    }
    case "prepare":
      tally.folded += await prepare(session);
      return takeFolds(line, session);
    case "condense":
      tally.folded += (await session.condense()).error === undefined ? 1 : 0;
      return takeFolds(line, session);
    case "restore":
      return restore(run, line, { session, pick: act.pick });
    case "mark":
      return mark(line, session, act);
    case "rewindToVersion": {
      const toVersion = pickFrom([...line.model.moments.keys()], act.pick) ?? 0;
      await session.rewind({ toVersion });
      line.model = afterRewind(line.model, toVersion, false);
      tally.rewound++;
      return;
    }
    case "rewindToMessage":
      return rewindToMessage(run, line, { session, act });
    case "undo":
      return undo(run, line, session);
    case "branch":
      return branch(run, line, { session, pick: act.pick });
    case "reopen":
      return reopen(run, line, engine);
  }
}

function build(run: Run, turns: readonly TurnPlan[]): readonly Message[] {
  const built = buildTurns({ turns, labels: { ids: "all", times: "some" } }, run.turns);
  run.turns += turns.length;
  return JSON.parse(JSON.stringify(built));
}

export async function append(
  run: Run,
  line: Line,
  { session, turns }: { readonly session: Session; readonly turns: readonly TurnPlan[] },
): Promise<void> {
  const messages = build(run, turns);
  await session.append(...messages);
  line.model = afterAppend(line.model, messages);
}

async function appendBoth(run: Run, line: Line, act: Extract<Act, { readonly type: "appendBoth" }>): Promise<void> {
  const [one, other] = [await sessionOf(run, 0, line), await sessionOf(run, 1, line)];
  const [mine, theirs] = [build(run, act.turns), build(run, act.otherTurns)];
  await Promise.all([one.append(...mine), other.append(...theirs)]);
  const isMineFirst = (await one.log()).at(-1)?.id === theirs.at(-1)?.id;
  line.model = afterAppend(line.model, isMineFirst ? [...mine, ...theirs] : [...theirs, ...mine]);
}

/** How many folds were made. */
async function prepare(session: Session): Promise<number> {
  try {
    const { messages, report } = await session.prepare();
    expect(report.promptTokens).toBeLessThanOrEqual(report.allowedTokens);
    expect(messages.length).toBeGreaterThanOrEqual(0);
    return report.foldIds.length;
  } catch (error) {
    // A log that was rewound to less than a turn may have nothing that can be folded.
    expect(error).toMatchObject({ code: "cannot-fit" });
    return 0;
  } finally {
    // The record of the request before is written some time later; whoever asks for events has it written first.
    await session.events();
  }
}

/** Which folds an engine makes is not the model's business: it holds that nothing is lost. */
async function takeFolds(line: Line, session: Session, appended: readonly Message[] = []): Promise<void> {
  // Writes the record of the request before, which nobody waits for.
  await session.events();
  const version = await session.version();
  const { model } = line;
  if (version === model.version) return;
  const { said, saidAt } = momentNow(model);
  line.model = afterRewrite(model, version, {
    log: await session.log(),
    said: [...said, ...appended],
    // Before, after or between the folds.
    saidAt: [...saidAt, ...appended.map(() => undefined)],
  });
}

async function restore(
  run: Run,
  line: Line,
  { session, pick }: { readonly session: Session; readonly pick: number },
): Promise<void> {
  const fold = pickFrom(await session.folds(), pick);
  if (fold === undefined) return;
  const { log } = momentNow(line.model);
  await session.restore(fold.foldId);
  const restored = afterRewrite(line.model, line.model.version + 1, { log: restoreMessages(log, fold.foldId) });
  line.model = afterEvents(restored, restored.version + 1);
  run.tally.restored++;
}

async function mark(
  line: Line,
  session: Session,
  { pick, important }: Extract<Act, { readonly type: "mark" }>,
): Promise<void> {
  const { log, said } = momentNow(line.model);
  const id = pickFrom(said, pick)?.id;
  if (id === undefined) return;
  await session.mark(id, { important });
  const marked = (messages: readonly Message[]) =>
    messages.map((message) => (message.id === id ? { ...message, important } : message));
  const changed = afterRewrite(line.model, line.model.version + 1, { log: marked(log), said: marked(said) });
  line.model = afterEvents(changed, changed.version + 1);
}

async function rewindToMessage(
  run: Run,
  line: Line,
  { session, act }: { readonly session: Session; readonly act: Extract<Act, { readonly type: "rewindToMessage" }> },
): Promise<void> {
  const { said, saidAt } = momentNow(line.model);
  const index = said.length === 0 ? -1 : act.pick % said.length;
  const [toMessage, version] = [said[index]?.id, saidAt[index]];
  if (toMessage === undefined || version === undefined) return;
  const { includeMessage } = act;
  const toVersion = includeMessage ? version : version - 1;
  // Between the records of one operation: the model does not know that moment.
  if (!line.model.moments.has(toVersion)) return;
  const rewound = await session.rewind({ toMessage, includeMessage });
  expect(rewound).toEqual({
    version: line.model.version + 1,
    toVersion,
    messagesRemoved: momentNow(line.model).log.length - momentAt(line.model, toVersion).log.length,
  });
  line.model = afterRewind(line.model, toVersion, false);
  run.tally.rewound++;
}

async function undo(run: Run, line: Line, session: Session): Promise<void> {
  const { undoVersion } = momentNow(line.model);
  if (undoVersion === undefined) {
    await expect(session.rewind({ undo: true })).rejects.toMatchObject({ code: "not-found" });
    return;
  }
  await session.rewind({ undo: true });
  line.model = afterRewind(line.model, undoVersion, true);
  run.tally.undone++;
}

async function branch(
  run: Run,
  line: Line,
  { session, pick }: { readonly session: Session; readonly pick: number | undefined },
): Promise<void> {
  const { model } = line;
  const from = pick === undefined ? model.version : (pickFrom([...model.moments.keys()], pick) ?? 0);
  const id = `${run.prefix}-${run.lines.length}`;
  const branched = await session.branch(id, pick === undefined ? undefined : { toVersion: from });
  run.lines.push({ id, model: branchedAt(model, from, await branched.version()) });
  run.tally.branched++;
}

async function reopen(run: Run, line: Line, engine: number): Promise<void> {
  const before = await seen(await sessionOf(run, engine, line));
  const store = run.open();
  run.opened.push(store);
  run.engines[engine] = engineOn(store, run.plan);
  expect(await seen(await sessionOf(run, engine, line))).toEqual(before);
  run.tally.reopened++;
}

function pickFrom<Item>(items: readonly Item[], pick: number): Item | undefined {
  return items[pick % Math.max(1, items.length)];
}
