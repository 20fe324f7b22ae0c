import { assert, assertArray, assertNumber, assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { oldestThinkers } from "../../core/history/provider-clearing.ts";
import { restoreMessages } from "../../core/history/restore.ts";
import { restoreSpan } from "../../core/history/restore-span.ts";
import type { Message } from "../../core/message/message.ts";
import { thrownFailure } from "../../core/policy/thrown-failure.ts";
import { readTooLong } from "../../core/policy/too-long.ts";
import { reportedUsage } from "../../core/tokens/provider-usage.ts";
import type { MessageWire } from "../../messages/wires.ts";
import { createBackground } from "./background.ts";
import { assertCalibration, calibrateSession } from "./calibrate.ts";
import { clearByHand } from "./clear-by-hand.ts";
import { condenseByHand } from "./condense-by-hand.ts";
import { findVersion } from "./find-version.ts";
import { hideCompacted } from "./hide-compacted.ts";
import type { LogHistory } from "./journal/log-history.ts";
import type { LogRecord } from "./journal/log-record.ts";
import { learnLimit } from "./learned-limit.ts";
import type { LiveSession } from "./live-session.ts";
import { createMessageLocks, type MessageLocks } from "./message-locks.ts";
import { createPrepare, type PrepareOptions } from "./prepare.ts";
import { createPromptPrepare, type PrepareAsOptions, type PreparedPrompt } from "./prepare-prompt.ts";
import { clearingOf, isClearing, isSameClearing, newlyCleared } from "./provider-clearing.ts";
import type { Prepared, RecalledExchange } from "./report.ts";
import { viewNow } from "./requests/sent-view.ts";
import { type RewindPorts, rewindSession } from "./rewind.ts";
import type { ReportedProviderClearing, SentBody, SentRequest, Session } from "./session.ts";
import type { SessionContext } from "./session-context.ts";
import { assertUpdate, updateMessages } from "./update-messages.ts";

const MAX_RESTORE_TRIES = 5;

/** Messages come, and folds are made and undone. */
export function foldOperations({
  ports,
  live,
  requests,
  enqueue,
}: SessionContext): Pick<
  Session,
  "append" | "appendAfter" | "prepare" | "hideCompacted" | "condense" | "clearResults" | "restore"
> {
  const { log } = live;
  const background = createBackground(live);
  const prepare = createPromptPrepare(createPrepare(live, { background, requests }), live.systemPrompt);
  function prepareView(options?: PrepareOptions): Promise<Prepared>;
  function prepareView<Wire extends MessageWire>(options: PrepareAsOptions<Wire>): Promise<PreparedPrompt<Wire>>;
  function prepareView(options: PrepareOptions = {}) {
    return enqueue(() => prepare(options));
  }
  return {
    append: async (...added) => log.append(added),
    appendAfter: async (version, ...added) => {
      assertNumber("version", version, 0);
      return log.appendAfter(version, added);
    },
    prepare: prepareView,
    hideCompacted: () => enqueue(() => hideCompacted(live, "any")),
    condense: (byHand = {}) => enqueue(() => condenseByHand(live, background, byHand)),
    clearResults: (messageIds) => enqueue(() => clearByHand(live, messageIds)),
    restore: (target) =>
      enqueue(async () => {
        const at = ports.condensation.now();
        if (typeof target === "string") {
          if (isClearing(target, clearingOf(await log.events()))) {
            log.record({ type: "restored", at, foldId: target });
            return log.flush();
          }
          await restoreIn(live, target, (messages) => restoreMessages(messages, target));
          return log.record({ type: "restored", at, foldId: target });
        }
        const isSpan = typeof target === "object" && target !== null && !Array.isArray(target);
        assert(isSpan, "target", target, "the id of a fold, or { from, to } with the ids of messages");
        const { from, to } = target;
        const isDone = await restoreIn(live, `${from} to ${to}`, (messages) => restoreSpan(messages, { from, to }));
        if (isDone) log.record({ type: "span_restored", at, from, to });
      }),
  };
}

type MomentOperations = "rewind" | "branch" | "checkpoint" | "checkpointIfDue" | "checkpoints";

/** Moments of the session are kept and gone back to, here or in another session. */
export function momentOperations(
  { ports, live, enqueue }: SessionContext,
  files: RewindPorts,
): Pick<Session, MomentOperations> {
  const { checkpoints } = files;
  return {
    rewind: (rewindOptions) => enqueue(() => rewindSession(live, rewindOptions, files)),
    branch: (branchId, moment) =>
      enqueue(async () => {
        const history = await live.log.history();
        const version = moment === undefined ? history.version() : findVersion(history, moment);
        return ports.branch(branchId, recordsOfBranch(history, version));
      }),
    checkpoint: (checkpointOptions = {}) => enqueue(() => checkpoints.save(checkpointOptions)),
    checkpointIfDue: (checkpointOptions = {}) => enqueue(() => checkpoints.saveIfDue(checkpointOptions)),
    checkpoints: ({ limit } = {}) => checkpoints.list(limit),
  };
}

/**
 * What led to a moment. The event of an update comes with its patch, also where the moment lies between the two records: `verify`
 * takes a change that no event names for damage. What was paid stays in the statement of the session that paid it.
 */
function recordsOfBranch(history: LogHistory, version: number): readonly LogRecord[] {
  const path = history.pathTo(version);
  return path.flatMap(({ version: at, record }, index) => {
    const next = record.type === "patch" ? history.record(at + 1) : undefined;
    const isCutOff = next?.type === "event" && next.event.type === "updated" && path[index + 1]?.version !== at + 1;
    return isCutOff ? [record, next] : unpaid(record);
  });
}

function unpaid(record: LogRecord): readonly LogRecord[] {
  if (record.type !== "event") return [record];
  const { event } = record;
  if (event.type === "request") return [];
  const isPaid = (event.type === "condense_context" || event.type === "condense_failed") && event.cost > 0;
  return isPaid ? [{ type: "event", event: { ...event, cost: 0 } }] : [record];
}

/** Single messages are changed, marked and locked. */
export function messageOperations({
  ports: { stored },
  live,
  enqueue,
}: SessionContext): Pick<Session, "update" | "mark" | "lock" | "isLocked" | "getHolder" | "unlock"> {
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
    isLocked: async (messageId) => assertLocks(locks).isLocked(messageId),
    getHolder: async (messageId) => assertLocks(locks).getHolder(messageId),
    unlock: async (messageId) => assertLocks(locks).forceRelease(messageId),
  };
}

/** The model and the prompt, and what is known of their tokens. */
export function promptOperations({
  ports,
  live,
  state,
  requests,
  enqueue,
}: SessionContext): Pick<
  Session,
  | "observe"
  | "observeError"
  | "recordRequest"
  | "recordRecall"
  | "recordCompaction"
  | "recordClearing"
  | "usePrompt"
  | "useModel"
  | "calibrate"
> {
  return {
    observe: (usage) => {
      const reported = reportedUsage(usage);
      requests.observed(reported);
      state.meter().observe(reported);
    },
    observeError: (error) => {
      const tooLong = readTooLong(thrownFailure(error));
      if (tooLong.isTooLong) requests.refused();
      const { contextWindow } = state.model();
      const learned = learnLimit(tooLong, { contextWindow, sentTokens: state.meter().sentTokens() });
      if (learned !== undefined) state.learnLimit(learned);
      return tooLong;
    },
    recordRequest: async (request = {}) => {
      assertSentRequest(request);
      const { at, usage, messageCount, body, cacheDiagnosis, calibration } = request;
      const reported = usage === undefined ? undefined : reportedUsage(usage);
      return enqueue(async () => {
        // Before anything is looked at: others may write meanwhile.
        const kept = body && (await requests.keepBody(body));
        const isView = messageCount === live.log.saidMessages();
        const promptTokens = isView ? undefined : request.promptTokens;
        requests.sent(() => viewNow(live), { at, usage: reported, promptTokens, body: kept, cacheDiagnosis });
        // What is noted for later is kept with it.
        const outcome =
          isView && calibration && (await calibrateSession({ ports, live, state }, calibration.usage, calibration));
        await live.log.flushLater();
        return outcome || undefined;
      });
    },
    recordRecall: async (exchange) => {
      assertExchange(exchange);
      const { key, api, items, results } = exchange;
      live.log.record({ type: "recalled", at: ports.condensation.now(), key, api, items, results });
      await live.log.flush();
    },
    recordCompaction: async (keys) => {
      assertArray("keys", keys);
      for (const [index, key] of keys.entries()) {
        assert(typeof key === "string" && key !== "", `keys[${index}]`, key, "a string that is not empty");
      }
      live.log.record({ type: "compacted", at: ports.condensation.now(), keys: [...keys] });
      await live.log.flush();
    },
    recordClearing: async (reported) => {
      assertClearing(reported);
      const { toolUseIds, hidesInputs = false, thoughts = 0 } = reported;
      await live.log.refresh();
      const { view } = await live.log.whole();
      const cleared = { toolUseIds: [...toolUseIds], hidesInputs, thoughtsOf: oldestThinkers(view, thoughts) };
      const { cleared: before } = clearingOf(await live.log.events());
      if (isSameClearing(cleared, before)) return;
      live.log.record({ type: "cleared", at: ports.condensation.now(), ...newlyCleared(before, cleared) });
      await live.log.flush();
    },
    usePrompt: state.usePrompt,
    useModel: state.useModel,
    calibrate: async (known, calibrateOptions = {}) => {
      assertCalibration(known, calibrateOptions);
      return enqueue(() => calibrateSession({ ports, live, state }, known, calibrateOptions));
    },
  };
}

function assertClearing(reported: ReportedProviderClearing): void {
  assertObject("clearing", reported);
  const { toolUseIds, hidesInputs, thoughts } = reported;
  assertArray("clearing.toolUseIds", toolUseIds);
  for (const [index, id] of toolUseIds.entries()) {
    assert(typeof id === "string", `clearing.toolUseIds[${index}]`, id, "the id of a tool call");
  }
  const isFlag = hidesInputs === undefined || typeof hidesInputs === "boolean";
  assert(isFlag, "clearing.hidesInputs", hidesInputs, "true or false");
  if (thoughts !== undefined) assertNumber("clearing.thoughts", thoughts, 0);
}

function assertExchange(exchange: RecalledExchange): void {
  assertObject("exchange", exchange);
  const { key, api, items, results } = exchange;
  assert(
    typeof key === "string" && /^[^\sA-Z]+$/.test(key),
    "exchange.key",
    key,
    "a text in lower case, without white space",
  );
  assert(typeof api === "string", "exchange.api", api, "the name of an API");
  assertArray("exchange.items", items);
  assertArray("exchange.results", results);
}

function assertSentRequest(request: SentRequest): void {
  assertObject("request", request);
  const { at, promptTokens, messageCount, cacheDiagnosis } = request;
  if (at !== undefined) assertNumber("request.at", at, 0);
  if (promptTokens !== undefined) assertNumber("request.promptTokens", promptTokens, 0);
  if (messageCount !== undefined) assertNumber("request.messageCount", messageCount, 0);
  if (cacheDiagnosis !== undefined) assertObject("request.cacheDiagnosis", cacheDiagnosis);
  if (request.calibration !== undefined) assertObject("request.calibration", request.calibration);
  if (request.body !== undefined) assertSentBody(request.body);
}

function assertSentBody(body: SentBody): void {
  assertObject("request.body", body);
  const { wire, bytes, isAsItCame } = body;
  assert(typeof wire === "string" && wire !== "", "request.body.wire", wire, "the name of an API");
  assert(bytes instanceof Uint8Array, "request.body.bytes", typeof bytes, "a Uint8Array");
  const isFlag = isAsItCame === undefined || typeof isAsItCame === "boolean";
  assert(isFlag, "request.body.isAsItCame", isAsItCame, "true or false");
}

/** False where there was nothing to restore. Others may fold or rewind at the same time: then there is another log to restore in. */
async function restoreIn(
  { id, log }: LiveSession,
  what: string,
  restore: (messages: readonly Message[]) => readonly Message[],
): Promise<boolean> {
  for (let tries = 0; tries < MAX_RESTORE_TRIES; tries++) {
    const base = await log.whole();
    const restored = restore(base.messages);
    if (restored === base.messages) return false;
    if (await log.commit(base, restored)) return true;
  }
  throw new PalimpsestError(
    "conflict",
    `Others kept rewriting the session ${JSON.stringify(id)} while ${what} was to be restored. Try again.`,
  );
}

function assertLocks(locks: MessageLocks | undefined): MessageLocks {
  if (locks !== undefined) return locks;
  throw new PalimpsestError(
    "invalid-configuration",
    "Locks need a store. Pass one to createEngine, for example memoryStore() of palimpsest/stores/memory.",
  );
}
