import { demand, demandArray, demandObject } from "../../core/demand.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { type Fold, listFolds } from "../../core/history/list-folds.ts";
import { restoreMessages } from "../../core/history/restore.ts";
import type { CountTokens, Message } from "../../core/message/message.ts";
import type { ModelRegistry } from "../../core/models/registry.ts";
import type { CondensationResult } from "../../core/ports/condensation.ts";
import type { Store, StoredSession } from "../../core/ports/store.ts";
import type { WorkspaceFiles } from "../../core/ports/workspace.ts";
import type { RecallHit } from "../../core/recall/recall-hit.ts";
import { createRecallIndex, type RecallIndex } from "../../core/recall/recall-index.ts";
import type { ReportedUsage } from "../../core/tokens/forecast.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { serialize } from "../../core/tokens/serialize.ts";
import { createBackOff, createLocalBackOff } from "../condense/back-off.ts";
import type { CondensationPorts } from "../condense/run-condensation.ts";
import { createBackground } from "./background.ts";
import {
  type CheckpointIfDueOptions,
  type CheckpointOptions,
  createCheckpointKeeper,
  type SessionCheckpoint,
} from "./checkpoints.ts";
import { type CondenseByHand, condenseByHand } from "./condense-by-hand.ts";
import { findVersion, type Moment } from "./find-version.ts";
import { localJournal } from "./journal/journal.ts";
import type { LogRecord } from "./journal/log-record.ts";
import { storeJournal } from "./journal/store-journal.ts";
import type { LiveSession } from "./live-session.ts";
import { createMessageLocks, type LockOptions, type MessageLock, type MessageLocks } from "./message-locks.ts";
import { createPrepare, type PrepareOptions } from "./prepare.ts";
import { createPromptMeter } from "./prompt-meter.ts";
import { createQueue } from "./queue.ts";
import { readAhead } from "./read-ahead.ts";
import { createRentMeter } from "./rent-meter.ts";
import type { Prepared, SessionEvent } from "./report.ts";
import { type Rewound, rewindSession, type SessionRewindOptions } from "./rewind.ts";
import { exportSession, type SessionExport } from "./session-export.ts";
import { type LogState, openSessionLog } from "./session-log.ts";
import { type ModelChoice, resolveModel } from "./session-model.ts";
import { demandUpdate, type MessageChange, updateMessages } from "./update-messages.ts";

/** One conversation: a log that only grows, and the view of it that is sent. */
export interface Session {
  readonly id: string;
  /** Resolves when all of them are kept: with a store, when they are durable. */
  append(...messages: readonly Message[]): Promise<void>;
  /** The view to send now: it fits and is valid. Folds what must be folded; asks a model only where one is configured. */
  prepare(options?: PrepareOptions): Promise<Prepared>;
  /** Tells what the provider reported for the view that was prepared last: the next forecast starts from it. */
  observe(usage: ReportedUsage): void;
  /** Condenses by hand, at any fill. With `error`, nothing was changed. */
  condense(options?: CondenseByHand): Promise<CondensationResult>;
  /** Undoes a fold: what it hid is visible again. */
  restore(foldId: string): Promise<void>;
  /** Makes log and view, and if wanted the files, what they were at another moment. Nothing is lost: `{ undo: true }` comes back. */
  rewind(options: SessionRewindOptions): Promise<Rewound>;
  /** A new session that begins with this one's log as it is, or was at a moment. They go their own ways from there. */
  branch(id: string, moment?: Moment): Promise<Session>;
  /** Changes messages, all or none, and never over someone else's change; `change` may be asked more than once. */
  update(ids: string | readonly string[], change: MessageChange, options?: LockOptions): Promise<readonly Message[]>;
  /** Marks a message as one that stays visible as long as anything else can be hidden instead, or takes that back. */
  mark(messageId: string, mark: { readonly important: boolean }): Promise<void>;
  /** Keeps others, in any process, from updating a message. Needs a store. */
  lock(messageId: string, options?: LockOptions): Promise<MessageLock>;
  /** Takes the lock from whoever holds it; false where nobody does. */
  unlock(messageId: string): Promise<boolean>;
  /** Keeps this moment: the log, the agent's state and, with a workspace, its files. Needs a store. */
  checkpoint(options?: CheckpointOptions): Promise<SessionCheckpoint>;
  /** The same, but only where one is due; otherwise undefined. */
  checkpointIfDue(options?: CheckpointIfDueOptions): Promise<SessionCheckpoint | undefined>;
  /** The newest come first. */
  checkpoints(options?: { readonly limit?: number | undefined }): Promise<readonly SessionCheckpoint[]>;
  /** Searches what folds hide, and gives the excerpts that match best, word for word; `renderRecall` makes a text of them. */
  recall(query: string, options?: SessionRecallOptions): Promise<readonly RecallHit[]>;
  /** The whole of a fold or a message, as it was before any fold. */
  expand(id: string): Promise<readonly Message[]>;
  /** Goes on with another system prompt or other tools: the next view fits beside them. What is not named stays. */
  usePrompt(prompt: SessionPrompt): void;
  /** Goes on with another model: the next view fits its window. */
  useModel(choice: ModelChoice): void;
  log(): Promise<readonly Message[]>;
  view(): Promise<readonly Message[]>;
  folds(): Promise<readonly Fold[]>;
  /** What happened, in order. */
  events(): Promise<readonly SessionEvent[]>;
  /** How many things were done to the session: each append, fold, rewind and event counts. `rewind({ toVersion })` goes back to one. */
  version(): Promise<number>;
  /** All of it as plain data, also what was rewound; `engine.importSession` makes a session of it again. */
  export(): Promise<SessionExport>;
  /** Ends what is still being condensed. The engine forgets the session; a store keeps it. */
  close(): void;
}

export interface SessionRecallOptions {
  /** What the excerpts may take. @default 1_500 */
  readonly budgetTokens?: number | undefined;
}

/** What is sent beside the view. */
export interface SessionPrompt {
  /** Counted as part of every prompt; never touched. @default "" */
  readonly systemPrompt?: string | undefined;
  /** Tool definitions as they are sent; only counted. @default none */
  readonly tools?: readonly unknown[] | undefined;
}

export interface SessionOptions extends SessionPrompt {
  /** The log to start from. @default an empty one */
  readonly messages?: readonly Message[] | undefined;
  /** Which of the configured profile thresholds applies. @default "default" */
  readonly profileId?: string | undefined;
  /** The files that checkpoints keep and `rewind({ files: true })` moves: `workspaceCheckpoints({ … })`. @default none */
  readonly workspace?: WorkspaceFiles | undefined;
}

/** What a session needs of its engine. */
export interface SessionPorts {
  readonly condensation: CondensationPorts;
  readonly registry: ModelRegistry;
  readonly countTokens: CountTokens;
  /** Where it is kept; undefined where it lives in memory alone. */
  readonly stored?: { readonly store: Store; readonly session: StoredSession } | undefined;
  /** Makes another session of these records. */
  readonly branch: (id: string, records: readonly LogRecord[]) => Promise<Session>;
  /** Told when the session is closed, or turns out to be deleted. */
  readonly closed?: () => void;
}

export interface OpenSession {
  readonly ports: SessionPorts;
  readonly options: Omit<SessionOptions, "messages">;
  /** What it begins with; refused where it has begun already. */
  readonly records: readonly LogRecord[] | undefined;
}

const DEFAULT_RECALL_TOKENS = 1_500;
const MAX_RESTORE_TRIES = 5;

export async function openSession(
  id: string,
  choice: ModelChoice,
  { ports, options, records }: OpenSession,
): Promise<Session> {
  const { profileId = "default", workspace } = options;
  let prompt = readPrompt(options);
  demand(typeof profileId === "string", "options.profileId", profileId, "a string");
  const { countTokens, registry, stored } = ports;
  let model = resolveModel(choice, registry);
  let meter = createPromptMeter({ ...model, countTokens, overheadTokens: overheadOf(prompt) });
  const log = await openSessionLog({
    sessionId: id,
    journal: stored === undefined ? localJournal() : storeJournal({ ...stored, deleted: ports.closed }),
    countTokens,
    rewritten: () => meter.rewritten(),
    appended: readAhead,
  });
  if (records !== undefined && !(await log.begin(records))) throw alreadyThere(id);
  const closing = new AbortController();
  const live: LiveSession = {
    id,
    systemPrompt: () => prompt.systemPrompt,
    profileId,
    log,
    countTokens,
    backOff: createBackOff(),
    localBackOff: createLocalBackOff(),
    rent: createRentMeter(),
    model: () => model,
    meter: () => meter,
    ports: ports.condensation,
    closeSignal: closing.signal,
    record: log.record,
  };
  const background = createBackground(live);
  const prepare = createPrepare(live, background);
  const checkpoints = createCheckpointKeeper(live, { stored, workspace });
  const locks = stored === undefined ? undefined : createMessageLocks(stored.store, stored.session);
  const inQueue = createQueue();
  /** One operation after the other, each on what others wrote before it; what it tells about itself is kept at its end. */
  const inTurn = <Value>(operation: () => Promise<Value>): Promise<Value> =>
    inQueue(async () => {
      await log.refresh();
      try {
        return await operation();
      } finally {
        await log.flush();
      }
    });
  const recallIndex = createSearch(countTokens);
  const update: Session["update"] = async (idOrIds, change, lockOptions = {}) => {
    const ids = typeof idOrIds === "string" ? [idOrIds] : idOrIds;
    demandUpdate(ids, change);
    // Whoever waits for a lock does not hold up the session.
    const held = (await locks?.acquireAll(ids, lockOptions)) ?? [];
    try {
      return await inTurn(() => updateMessages(live, ids, change));
    } finally {
      await Promise.allSettled(held.map((lock) => lock.release()));
    }
  };

  /** Looks at the log as it is now, with what others wrote. */
  async function now<Value>(look: () => Value): Promise<Value> {
    await log.refresh();
    return look();
  }

  return {
    id,
    append: async (...added) => log.append(added),
    prepare: (prepareOptions = {}) => inTurn(() => prepare(prepareOptions)),
    observe: (usage) => {
      demandObject("usage", usage);
      meter.observe(usage);
    },
    condense: (byHand = {}) => inTurn(() => condenseByHand(live, background, byHand)),
    restore: (foldId) =>
      inTurn(async () => {
        await restoreFold(live, foldId);
        log.record({ type: "restored", at: ports.condensation.now(), foldId });
      }),
    rewind: (rewindOptions) => inTurn(() => rewindSession(live, rewindOptions, { checkpoints, workspace })),
    branch: (branchId, moment) =>
      inTurn(async () => {
        const history = log.history();
        const version = moment === undefined ? history.version() : findVersion(history, moment);
        return ports.branch(
          branchId,
          history.pathTo(version).map(({ record }) => record),
        );
      }),
    update,
    mark: async (messageId, mark) => {
      demandObject("mark", mark);
      const { important } = mark;
      demand(typeof important === "boolean", "mark.important", important, "true or false");
      await update(messageId, (messages) => messages.map((message) => ({ ...message, important })));
    },
    lock: async (messageId, lockOptions) => demandLocks(locks).acquire(messageId, lockOptions),
    unlock: async (messageId) => demandLocks(locks).forceRelease(messageId),
    checkpoint: (checkpointOptions = {}) => inTurn(() => checkpoints.save(checkpointOptions)),
    checkpointIfDue: (checkpointOptions = {}) => inTurn(() => checkpoints.saveIfDue(checkpointOptions)),
    checkpoints: ({ limit } = {}) => checkpoints.list(limit),
    recall: (query, { budgetTokens = DEFAULT_RECALL_TOKENS } = {}) =>
      now(() => recallIndex(log.state()).recall(query, { budgetTokens })),
    expand: (expanded) => now(() => recallIndex(log.state()).expand(expanded)),
    usePrompt: (next) => {
      demandObject("prompt", next);
      prompt = readPrompt({ ...prompt, ...next });
      meter.useOverhead(overheadOf(prompt));
    },
    useModel: (next) => {
      model = resolveModel(next, registry);
      meter = createPromptMeter({ ...model, countTokens, overheadTokens: overheadOf(prompt) });
    },
    log: () => now(() => [...log.messages()]),
    view: () => now(() => [...log.view()]),
    folds: () => now(() => listFolds(log.messages())),
    events: () => now(log.events),
    version: () => now(log.history().version),
    export: () => now(() => exportSession(id, log.history())),
    close: () => {
      closing.abort(new Error("The session is closed."));
      ports.closed?.();
    },
  };
}

function readPrompt({
  systemPrompt = "",
  tools = [],
}: SessionPrompt): Required<SessionPrompt> & { readonly systemPrompt: string } {
  demand(typeof systemPrompt === "string", "options.systemPrompt", systemPrompt, "a string");
  demandArray("options.tools", tools);
  return { systemPrompt, tools };
}

function overheadOf({ systemPrompt = "", tools = [] }: SessionPrompt): number {
  return countTextTokens(systemPrompt) + (tools.length === 0 ? 0 : countTextTokens(serialize(tools)));
}

/** A saved log that is not taken must not be lost in silence. */
export function alreadyThere(id: string): PalimpsestError {
  return new PalimpsestError(
    "invalid-argument",
    `The session ${JSON.stringify(id)} has a log already. Choose another id, or open it without messages.`,
  );
}

/** Others may fold or rewind at the same time: then there is another log to restore in. */
async function restoreFold({ id, log }: LiveSession, foldId: string): Promise<void> {
  for (let tries = 0; tries < MAX_RESTORE_TRIES; tries++) {
    const base = log.state();
    if (await log.commit(base, restoreMessages(base.messages, foldId))) return;
  }
  throw new PalimpsestError(
    "conflict",
    `Others kept rewriting the session ${JSON.stringify(id)} while ${foldId} was to be restored. Try again.`,
  );
}

/** One index for each log that was folded or rewound; one that has only grown is read on. */
function createSearch(countTokens: CountTokens): (log: LogState) => RecallIndex {
  let searched: { readonly log: LogState; readonly index: RecallIndex } | undefined;
  return (log) => {
    if (searched?.log === log) return searched.index;
    if (searched?.log.rewriteVersion === log.rewriteVersion) {
      searched.index.add(log.messages.slice(searched.log.messages.length));
      searched = { log, index: searched.index };
    } else searched = { log, index: createRecallIndex(log.messages, { countTokens }) };
    return searched.index;
  };
}

function demandLocks(locks: MessageLocks | undefined): MessageLocks {
  if (locks !== undefined) return locks;
  throw new PalimpsestError(
    "invalid-configuration",
    "Locks need a store. Pass one to createEngine, for example memoryStore() of palimpsest/stores/memory.",
  );
}
