import { assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { listFolds } from "../../core/history/list-folds.ts";
import { foldCleared, type ProviderClearing } from "../../core/history/provider-clearing.ts";
import { economyTokens } from "../../core/policy/economy.ts";
import type { RecallIndex } from "../../core/recall/recall-index.ts";
import { runPaced } from "../run-paced.ts";
import { loadRecall, loadStatement } from "./late-parts.ts";
import type { WholeLog } from "./log-state.ts";
import { clearingOf } from "./provider-clearing.ts";
import { accountOf, assertPeriod } from "./requests/read-account.ts";
import type { Session, SessionHistory } from "./session.ts";
import type { SessionContext } from "./session-context.ts";
import { exportSession } from "./session-export.ts";
import { assertVerifyOptions, verifySession } from "./verify-session.ts";

const DEFAULT_RECALL_TOKENS = 1_500;
/** What a page of `expand` takes of a large window, and of a small one. */
const DEFAULT_EXPAND_TOKENS = 8_000;
const DEFAULT_EXPAND_SHARE = 0.25;

function defaultExpandTokens(contextWindow: number): number {
  return Math.max(100, Math.min(DEFAULT_EXPAND_TOKENS, Math.floor(DEFAULT_EXPAND_SHARE * contextWindow)));
}

type ReadOperations =
  | "recall"
  | "expand"
  | "snapshot"
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

/** The session as it is now, with what others wrote. */
export function readOperations({
  ports,
  live: { id, log, repaired },
  state,
}: SessionContext): Pick<Session, ReadOperations> {
  let search: ((log: WholeLog, cleared: ProviderClearing) => RecallIndex) | undefined;
  const cleared = async () => clearingOf(await log.events()).cleared;
  const wholeAsRead = async () => foldCleared((await log.whole()).messages, await cleared());
  let readOnly: SessionHistory | undefined;
  async function history(): Promise<SessionHistory> {
    const { version, record, logAt, pathTo } = await log.history();
    // One object for the session's life: those who follow it know it by that.
    readOnly ??= { version, record, logAt, pathTo };
    return readOnly;
  }
  async function refreshed<Value>(get: () => Value | Promise<Value>): Promise<Value> {
    await log.refresh();
    return get();
  }
  /** Reads a value after records that nobody waited for were written: what it tells is kept, and others see it too. */
  async function complete<Value>(get: () => Value | Promise<Value>): Promise<Value> {
    await log.flushLater();
    return refreshed(get);
  }
  /** By what the costs of this session are reckoned. */
  function accounting() {
    const { entry, id: modelId } = state.model();
    const findModel = (name: string) => (name === modelId ? entry : ports.registry.find(name));
    return { findModel, leftTokens: economyTokens(ports.condensation.configuration.thresholds.economy) };
  }
  return {
    recall: async (query, { budgetTokens = DEFAULT_RECALL_TOKENS } = {}) => {
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
    snapshot: () =>
      refreshed(async () => {
        const { messages, view } = await log.whole();
        const { id: modelId } = state.model();
        const learned = log.learned(modelId);
        const forecast = state.forecastBy(learned);
        const nextForecast = state.forecastBy(log.nextLearned(modelId) ?? learned);
        return {
          version: log.version(),
          log: messages,
          view,
          forecast,
          nextForecast,
          overhead: state.overhead(),
          tokenRatio: forecast.state.calibration.input.ratio,
          hasTools: log.hasTools(),
          nextTokenRatio: nextForecast.state.calibration.input.ratio,
        };
      }),
    log: () => refreshed(async () => [...(await log.whole()).messages]),
    view: () => refreshed(() => [...repaired(log.state()).messages]),
    folds: () => refreshed(async () => listFolds(await wholeAsRead())),
    events: () => complete(log.events),
    history: () => complete(history),
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
    version: () => refreshed(log.version),
    export: () => complete(async () => exportSession(id, await log.history())),
    verify: async (options = {}) => {
      assertVerifyOptions(options);
      return verifySession(assertStored(ports.stored), options);
    },
  };
}

function assertStored<Stored>(stored: Stored | undefined): Stored {
  if (stored !== undefined) return stored;
  throw new PalimpsestError(
    "invalid-configuration",
    "verify() needs a store. Pass one to createEngine, for example sqliteStore() of palimpsest/stores/sqlite.",
  );
}
