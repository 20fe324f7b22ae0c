import { assert, assertNumber, assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { listFolds } from "../../core/history/list-folds.ts";
import { restoreMessages } from "../../core/history/restore.ts";
import type { CountTokens } from "../../core/message/message.ts";
import type { ModelRegistry } from "../../core/models/registry.ts";
import type { Store, StoredSession } from "../../core/ports/store.ts";
import { createRecallIndex, type RecallIndex } from "../../core/recall/recall-index.ts";
import { createBackOff, createLocalBackOff } from "../condense/back-off.ts";
import type { CondensationPorts } from "../condense/run-condensation.ts";
import { createBackground } from "./background.ts";
import { createCheckpointKeeper } from "./checkpoints.ts";
import { condenseByHand } from "./condense-by-hand.ts";
import { findVersion } from "./find-version.ts";
import { localJournal } from "./journal/journal.ts";
import type { LogRecord } from "./journal/log-record.ts";
import { storeJournal } from "./journal/store-journal.ts";
import type { LiveSession } from "./live-session.ts";
import type { LogState } from "./log-state.ts";
import { createMessageLocks, type MessageLocks } from "./message-locks.ts";
import { createPrepare } from "./prepare.ts";
import { createPromptState, type PromptState } from "./prompt-state.ts";
import { createQueue } from "./queue.ts";
import { createReadAhead } from "./read-ahead.ts";
import { createRentMeter } from "./rent-meter.ts";
import { rewindSession } from "./rewind.ts";
import type { Session, SessionOptions } from "./session.ts";
import { exportSession } from "./session-export.ts";
import { openSessionLog, type SessionLog } from "./session-log.ts";
import type { ModelChoice } from "./session-model.ts";
import { assertUpdate, updateMessages } from "./update-messages.ts";

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
  assert(typeof profileId === "string", "options.profileId", profileId, "a string");
  const { countTokens, registry, stored } = ports;
  // While the log is being read, nothing is known from it.
  let opened: SessionLog | undefined;
  const learnedRatio = (modelId: string): number | undefined => opened?.tokenRatio(modelId);
  const state = createPromptState({ choice, prompt: options, registry, countTokens, learnedRatio });
  const readAhead = createReadAhead(() => state.model().contextWindow);
  const log = await openSessionLog({
    sessionId: id,
    journal: stored === undefined ? localJournal() : storeJournal({ ...stored, deleted: ports.closed }),
    countTokens,
    rewritten: state.rewritten,
    calibrated: state.calibrated,
    appended: readAhead.appended,
  });
  opened = log;
  if (records !== undefined && !(await log.begin(records))) throw alreadyThere(id);
  const closing = new AbortController();
  const live: LiveSession = {
    id,
    systemPrompt: state.systemPrompt,
    profileId,
    log,
    countTokens,
    backOff: createBackOff(),
    localBackOff: createLocalBackOff(),
    rent: createRentMeter(),
    model: state.model,
    meter: state.meter,
    ports: ports.condensation,
    closeSignal: closing.signal,
    record: log.record,
  };
  const context: SessionContext = { ports, live, state, enqueue: createLogQueue(log) };
  const checkpoints = createCheckpointKeeper(live, { stored, workspace });
  return {
    id,
    ...appendAndFold(context),
    ...move(context, { checkpoints, workspace }),
    ...changeMessages(context),
    ...configure(context),
    ...read(context),
    checkpoint: (checkpointOptions = {}) => context.enqueue(() => checkpoints.save(checkpointOptions)),
    checkpointIfDue: (checkpointOptions = {}) => context.enqueue(() => checkpoints.saveIfDue(checkpointOptions)),
    checkpoints: ({ limit } = {}) => checkpoints.list(limit),
    close: () => {
      closing.abort(new Error("The session is closed."));
      readAhead.dispose();
      ports.closed?.();
    },
  };
}

/** What the operations of a session share. */
interface SessionContext {
  readonly ports: SessionPorts;
  readonly live: LiveSession;
  readonly state: PromptState;
  readonly enqueue: Enqueue;
}

/** One operation after the other, each on what others wrote before it; what it tells about itself is kept at its end. */
type Enqueue = <Value>(operation: () => Promise<Value>) => Promise<Value>;

function createLogQueue(log: SessionLog): Enqueue {
  const queue = createQueue();
  return (operation) =>
    queue(async () => {
      await log.refresh();
      try {
        return await operation();
      } finally {
        await log.flush();
      }
    });
}

function appendAndFold({
  ports,
  live,
  enqueue,
}: SessionContext): Pick<Session, "append" | "appendAfter" | "prepare" | "condense" | "restore"> {
  const { log } = live;
  const background = createBackground(live);
  const prepare = createPrepare(live, background);
  return {
    append: async (...added) => log.append(added),
    appendAfter: async (version, ...added) => {
      assertNumber("version", version, 0);
      return log.appendAfter(version, added);
    },
    prepare: (prepareOptions = {}) => enqueue(() => prepare(prepareOptions)),
    condense: (byHand = {}) => enqueue(() => condenseByHand(live, background, byHand)),
    restore: (foldId) =>
      enqueue(async () => {
        await restoreFold(live, foldId);
        log.record({ type: "restored", at: ports.condensation.now(), foldId });
      }),
  };
}

/** To other moments of the session, or of another one. */
function move(
  { ports, live, enqueue }: SessionContext,
  files: Parameters<typeof rewindSession>[2],
): Pick<Session, "rewind" | "branch"> {
  return {
    rewind: (rewindOptions) => enqueue(() => rewindSession(live, rewindOptions, files)),
    branch: (branchId, moment) =>
      enqueue(async () => {
        const history = live.log.history();
        const version = moment === undefined ? history.version() : findVersion(history, moment);
        return ports.branch(
          branchId,
          history.pathTo(version).map(({ record }) => record),
        );
      }),
  };
}

function changeMessages({
  ports: { stored },
  live,
  enqueue,
}: SessionContext): Pick<Session, "update" | "mark" | "lock" | "unlock"> {
  const locks = stored === undefined ? undefined : createMessageLocks(stored.store, stored.session);
  const update: Session["update"] = async (idOrIds, change, { locks: isLocked = true, ...lockOptions } = {}) => {
    const ids = typeof idOrIds === "string" ? [idOrIds] : idOrIds;
    assertUpdate(ids, change);
    // Whoever waits for a lock does not hold up the session.
    const held = isLocked ? ((await locks?.acquireAll(ids, lockOptions)) ?? []) : [];
    try {
      return await enqueue(() => updateMessages(live, ids, change));
    } finally {
      await Promise.allSettled(held.map((lock) => lock.release()));
    }
  };
  return {
    update,
    mark: async (messageId, mark) => {
      assertObject("mark", mark);
      const { important } = mark;
      assert(typeof important === "boolean", "mark.important", important, "true or false");
      await update(messageId, (messages) => messages.map((message) => ({ ...message, important })));
    },
    lock: async (messageId, lockOptions) => assertLocks(locks).acquire(messageId, lockOptions),
    unlock: async (messageId) => assertLocks(locks).forceRelease(messageId),
  };
}

function configure({
  ports,
  live,
  state,
  enqueue,
}: SessionContext): Pick<Session, "observe" | "usePrompt" | "useModel" | "calibrate"> {
  return {
    observe: (usage) => {
      assertObject("usage", usage);
      state.meter().observe(usage);
    },
    usePrompt: state.usePrompt,
    useModel: state.useModel,
    calibrate: async (ratio, { from = "now" } = {}) => {
      assertNumber("tokenRatio", ratio, 0);
      assert(ratio > 0, "tokenRatio", ratio, "a number above 0");
      const start = from === "next-message" ? { from } : {};
      await enqueue(async () => {
        const at = ports.condensation.now();
        live.log.record({ type: "calibrated", at, modelId: state.model().id, tokenRatio: ratio, ...start });
      });
    },
  };
}

type Reads = "recall" | "expand" | "snapshot" | "log" | "view" | "folds" | "events" | "version" | "export";

function read({ ports, live: { id, log }, state }: SessionContext): Pick<Session, Reads> {
  const recallIndex = createSearch(ports.countTokens);
  /** Of the log as it is now, with what others wrote. */
  async function now<Value>(get: () => Value): Promise<Value> {
    await log.refresh();
    return get();
  }
  return {
    recall: (query, { budgetTokens = DEFAULT_RECALL_TOKENS } = {}) =>
      now(() => recallIndex(log.state()).recall(query, { budgetTokens })),
    expand: (expanded) => now(() => recallIndex(log.state()).expand(expanded)),
    snapshot: () =>
      now(() => ({
        version: log.history().version(),
        log: log.messages(),
        view: log.view(),
        tokenRatio: state.tokenRatio(),
        nextTokenRatio: log.nextTokenRatio(state.model().id) ?? state.tokenRatio(),
      })),
    log: () => now(() => [...log.messages()]),
    view: () => now(() => [...log.view()]),
    folds: () => now(() => listFolds(log.messages())),
    events: () => now(log.events),
    version: () => now(log.history().version),
    export: () => now(() => exportSession(id, log.history())),
  };
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

function assertLocks(locks: MessageLocks | undefined): MessageLocks {
  if (locks !== undefined) return locks;
  throw new PalimpsestError(
    "invalid-configuration",
    "Locks need a store. Pass one to createEngine, for example memoryStore() of palimpsest/stores/memory.",
  );
}
