import { assertObject } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { listFolds } from "../../core/history/list-folds.ts";
import type { CountTokens } from "../../core/message/message.ts";
import { economyTokens } from "../../core/policy/economy.ts";
import { expandId } from "../../core/recall/expand.ts";
import { expandPage } from "../../core/recall/expand-page.ts";
import { createRecallIndex, type RecallIndex } from "../../core/recall/recall-index.ts";
import { sumStatement } from "../../core/statement/sum-statement.ts";
import type { LogState } from "./log-state.ts";
import { accountOf, assertPeriod } from "./requests/read-account.ts";
import type { Session } from "./session.ts";
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
  | "version"
  | "export"
  | "verify";

/** The session as it is now, with what others wrote. */
export function readOperations({
  ports,
  live: { id, log, repaired },
  state,
}: SessionContext): Pick<Session, ReadOperations> {
  const recallIndex = createSearch(ports.countTokens);
  const { version, record, logAt, pathTo } = log.history();
  const readOnly = { version, record, logAt, pathTo };
  async function refreshed<Value>(get: () => Value): Promise<Value> {
    await log.refresh();
    return get();
  }
  /** With what nobody waited for: what is told here is kept, and others see it too. */
  async function complete<Value>(get: () => Value): Promise<Value> {
    await log.flushLater();
    return refreshed(get);
  }
  return {
    recall: (query, { budgetTokens = DEFAULT_RECALL_TOKENS } = {}) =>
      refreshed(() => recallIndex(log.state()).recall(query, { budgetTokens })),
    expand: (expanded, options = {}) =>
      refreshed(() => {
        assertObject("options", options);
        const { budgetTokens = defaultExpandTokens(state.model().contextWindow), from } = options;
        const whole = expandId(log.messages(), expanded);
        return expandPage(whole, { budgetTokens, from, countTokens: ports.countTokens });
      }),
    snapshot: () =>
      refreshed(() => {
        const { id: modelId } = state.model();
        const learned = log.learned(modelId);
        const forecast = state.forecastBy(learned);
        const nextForecast = state.forecastBy(log.nextLearned(modelId) ?? learned);
        return {
          version: log.history().version(),
          log: log.messages(),
          view: log.view(),
          forecast,
          nextForecast,
          overhead: state.overhead(),
          tokenRatio: forecast.state.calibration.input.ratio,
          hasTools: log.hasTools(),
          nextTokenRatio: nextForecast.state.calibration.input.ratio,
        };
      }),
    log: () => refreshed(() => [...log.messages()]),
    view: () => refreshed(() => [...repaired(log.state()).messages]),
    folds: () => refreshed(() => listFolds(log.messages())),
    events: () => complete(log.events),
    history: () => complete(() => readOnly),
    statement: (period = {}) =>
      complete(() => {
        const { since } = assertPeriod(period);
        const { entry, id: modelId } = state.model();
        const findModel = (name: string) => (name === modelId ? entry : ports.registry.find(name));
        const leftTokens = economyTokens(ports.condensation.configuration.thresholds.economy);
        return sumStatement([accountOf(log.events(), since)], { findModel, leftTokens, since });
      }),
    version: () => refreshed(log.history().version),
    export: () => complete(() => exportSession(id, log.history())),
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
