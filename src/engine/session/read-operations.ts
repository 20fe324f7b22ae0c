import { assertArray, assertObject, assertOptionNames } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { listFolds } from "../../core/history/list-folds.ts";
import { foldCleared, type ProviderClearing } from "../../core/history/provider-clearing.ts";
import { economyTokens } from "../../core/policy/economy.ts";
import type { RecallIndex } from "../../core/recall/recall-index.ts";
import { runPaced } from "../run-paced.ts";
import { loadRecall, loadStatement } from "./late-parts.ts";
import type { WholeLog } from "./log-state.ts";
import { CLEARING_EVENTS, clearingOf } from "./provider-clearing.ts";
import type { EventTypes } from "./report.ts";
import { accountOf, assertPeriod } from "./requests/read-account.ts";
import type { Session, SessionHistory } from "./session.ts";
import type { SessionContext } from "./session-context.ts";
import { exportSession } from "./session-export.ts";
import { momentOf, type OutlinedSession, type SessionSnapshot } from "./session-snapshot.ts";
import { assertVerifyOptions, verifySession } from "./verify-session.ts";

const DEFAULT_RECALL_TOKENS = 1_500;
/** A page of `expand` takes this many tokens, or this share of a small window. */
const DEFAULT_EXPAND_TOKENS = 8_000;
const DEFAULT_EXPAND_SHARE = 0.25;

function defaultExpandTokens(contextWindow: number): number {
  return Math.max(100, Math.min(DEFAULT_EXPAND_TOKENS, Math.floor(DEFAULT_EXPAND_SHARE * contextWindow)));
}

type ReadOperations =
  | "recall"
  | "expand"
  | "snapshot"
  | "outline"
  | "log"
  | "view"
  | "folds"
  | "events"
  | "history"
  | "statement"
  | "statementHistory"
  | "version"
  | "export"
  | "verify";

/** The operations that read a session, after taking in what other processes wrote. */
export function readOperations({
  ports,
  live: { id, log, repaired },
  state,
}: SessionContext): Pick<Session, ReadOperations> {
  let search: ((log: WholeLog, cleared: ProviderClearing) => RecallIndex) | undefined;
  const cleared = async () => clearingOf(await log.events(CLEARING_EVENTS)).cleared;
  const wholeAsRead = async () => foldCleared((await log.whole()).messages, await cleared());
  async function snapshot(): Promise<SessionSnapshot> {
    const whole = await log.whole();
    return { ...momentOf({ log, state }, whole), log: whole.messages };
  }
  let readOnly: SessionHistory | undefined;
  async function history(): Promise<SessionHistory> {
    const { version, record, logAt, pathTo } = await log.history();
    // Always the same object: callers that follow a history keep their state by its identity.
    readOnly ??= { version, record, logAt, pathTo };
    return readOnly;
  }
  async function refreshed<Value>(get: () => Value | Promise<Value>): Promise<Value> {
    await log.refresh();
    return get();
  }
  /** Reads a value after the events of `recordLater` were written, so that the value includes only what is kept. */
  async function complete<Value>(get: () => Value | Promise<Value>): Promise<Value> {
    await log.flushLater();
    return refreshed(get);
  }
  return {
    recall: async (query, options = {}) => {
      assertObject("options", options);
      assertOptionNames("options", options, { budgetTokens: true });
      const { budgetTokens = DEFAULT_RECALL_TOKENS } = options;
      const { createSearch } = await loadRecall();
      search ??= createSearch(ports.countTokens);
      const indexOf = search;
      const index = await refreshed(async () => indexOf(await log.whole(), await cleared()));
      const similarities = await ports.compareMeaning?.(index, query);
      return index.recall(query, { budgetTokens, similarities });
    },
    expand: (expanded, options = {}) =>
      refreshed(async () => {
        assertObject("options", options);
        const { budgetTokens = defaultExpandTokens(state.model().contextWindow), from } = options;
        const { expandId, expandPage } = await loadRecall();
        const whole = expandId(await wholeAsRead(), expanded);
        return expandPage(whole, { budgetTokens, from, countTokens: ports.countTokens });
      }),
    snapshot: () => refreshed(snapshot),
    outline: () =>
      refreshed<SessionSnapshot | OutlinedSession>(() => {
        const outline = log.outline();
        return outline === undefined
          ? snapshot()
          : { ...momentOf({ log, state }, log.state()), log: undefined, outline };
      }),
    log: () => refreshed(async () => [...(await log.whole()).messages]),
    view: () => refreshed(() => [...repaired(log.state()).messages]),
    folds: () => refreshed(async () => listFolds(await wholeAsRead())),
    events: (types) => complete(() => log.events(assertTypes(types))),
    history: () => complete(history),
    ...statementOperations({ log, state, ports }, complete),
    version: () => refreshed(log.version),
    export: () => complete(async () => exportSession(id, await log.history())),
    verify: async (options = {}) => {
      assertVerifyOptions(options);
      return verifySession(assertStored(ports.stored), options);
    },
  };
}

/** The operations that compute a session's costs. */
function statementOperations(
  { log, state, ports }: Pick<SessionContext, "ports" | "state"> & Pick<SessionContext["live"], "log">,
  complete: <Value>(get: () => Promise<Value>) => Promise<Value>,
): Pick<Session, "statement" | "statementHistory"> {
  /** The models and the economy by which this session's costs are computed. */
  function accounting() {
    const { entry, id: modelId } = state.model();
    const findModel = (name: string) => (name === modelId ? entry : ports.registry.find(name));
    return { findModel, leftTokens: economyTokens(ports.condensation.configuration.thresholds.economy) };
  }
  return {
    statement: (period = {}) =>
      complete(async () => {
        const { since } = assertPeriod(period);
        const { statementSteps } = await loadStatement();
        const steps = statementSteps([accountOf(await log.events(), since)], { ...accounting(), since });
        return runPaced(steps, ports.condensation.pause);
      }),
    statementHistory: () =>
      complete(async () => {
        const { historySteps } = await loadStatement();
        return runPaced(historySteps(accountOf(await log.events()), accounting()), ports.condensation.pause);
      }),
  };
}

function assertTypes(types: EventTypes | undefined): EventTypes | undefined {
  if (types !== undefined) assertArray("types", types);
  return types;
}

function assertStored<Stored>(stored: Stored | undefined): Stored {
  if (stored !== undefined) return stored;
  throw new PalimpsestError(
    "invalid-configuration",
    "verify() needs a store. Pass one to createEngine, for example sqliteStore() of palimpsest/stores/sqlite.",
  );
}
