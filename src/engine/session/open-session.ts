import { assert } from "../../core/assert.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { economyTokens } from "../../core/policy/economy.ts";
import { createBackOff, createLocalBackOff } from "../condense/back-off.ts";
import type { ResolvedConfiguration } from "../configuration/configuration.ts";
import { runPaced } from "../run-paced.ts";
import { createCheckpointKeeper } from "./checkpoints.ts";
import { foldOperations } from "./fold-operations.ts";
import { localJournal } from "./journal/journal.ts";
import type { LogRecord } from "./journal/log-record.ts";
import { storeJournal } from "./journal/store-journal.ts";
import type { LearnedTokens } from "./learned-tokens.ts";
import type { LiveSession } from "./live-session.ts";
import { messageOperations } from "./message-operations.ts";
import { momentOperations } from "./moment-operations.ts";
import { startOffloading } from "./offloader.ts";
import { promptOperations } from "./prompt-operations.ts";
import { createPromptState, type PromptState } from "./prompt-state.ts";
import { createReadAhead, type ReadAhead } from "./read-ahead.ts";
import { readOperations } from "./read-operations.ts";
import { recordOperations } from "./record-operations.ts";
import { createRentMeter } from "./rent-meter.ts";
import { createRequestKeeper } from "./requests/request-keeper.ts";
import type { Session, SessionOptions } from "./session.ts";
import { createLogQueue, type SessionContext, type SessionPorts } from "./session-context.ts";
import { openSessionLog, type SessionLog } from "./session-log.ts";
import type { ModelChoice, SessionModel } from "./session-model.ts";
import { createViewRepair } from "./view-repair.ts";

export interface OpenSession {
  readonly ports: SessionPorts;
  readonly options: Omit<SessionOptions, "messages">;
  /** The records that the session begins with. Opening throws where it has records already. */
  readonly records: readonly LogRecord[] | undefined;
}

export async function openSession(id: string, choice: ModelChoice, opening: OpenSession): Promise<Session> {
  const { ports, options, records } = opening;
  const { profileId = "default", workspace } = options;
  assert(typeof profileId === "string", "options.profileId", profileId, "a string");
  const parts = await openParts(id, choice, opening);
  const { log, state, readAhead } = parts;
  if (records !== undefined && !(await log.begin(records))) throw alreadyThere(id);
  if (ports.condensation.hasResolvers) await log.whole();
  const closing = new AbortController();
  const live = liveSession(id, parts, { ports, profileId, closeSignal: closing.signal });
  const { countTokens, condensation } = ports;
  const requests = createRequestKeeper({ log, state, countTokens, now: condensation.now, pause: condensation.pause });
  const context: SessionContext = { ports, live, state, requests, enqueue: createLogQueue(log) };
  const checkpoints = createCheckpointKeeper(live, { stored: ports.stored, workspace });
  return {
    id,
    ...foldOperations(context),
    ...momentOperations(context, { checkpoints, workspace }),
    ...messageOperations(context),
    ...promptOperations(context),
    ...recordOperations(context),
    ...readOperations(context),
    close: () => {
      closing.abort(new Error("The session is closed."));
      readAhead.dispose();
      ports.onClosed?.();
    },
  };
}

/** The parts of a session that exist once its records have been read. */
interface SessionParts {
  readonly log: SessionLog;
  readonly state: PromptState;
  readonly readAhead: ReadAhead;
}

async function openParts(
  id: string,
  choice: ModelChoice,
  { ports, options }: Pick<OpenSession, "ports" | "options">,
): Promise<SessionParts> {
  const { countTokens, registry, stored, acknowledge } = ports;
  // Undefined while the log is being read: nothing is learned from it until then.
  let opened: SessionLog | undefined;
  const learned = (modelId: string): LearnedTokens | undefined => opened?.learned(modelId);
  const state = createPromptState({ choice, prompt: options, registry, countTokens, learned });
  const readAhead = createReadAhead(() => nearFold(state.model(), ports.condensation.configuration));
  opened = await openSessionLog({
    sessionId: id,
    journal:
      stored === undefined ? localJournal() : storeJournal({ ...stored, acknowledge, onDeleted: ports.onClosed }),
    countTokens,
    onRewrite: state.rewritten,
    onCalibration: state.calibrated,
    onAppend: readAhead.appended,
  });
  return { log: opened, state, readAhead };
}

/** Messages are read ahead for a ledger once the view fills this share of the window, or of what a fold by prices would leave. */
const NEAR_WINDOW_SHARE = 0.25;
const NEAR_BUDGET_SHARE = 0.5;

/** The size of a view, in tokens, from which on its messages are read ahead. */
function nearFold({ contextWindow, prices }: SessionModel, { thresholds }: ResolvedConfiguration): number {
  const ofWindow = NEAR_WINDOW_SHARE * contextWindow;
  if (prices === undefined || thresholds.adaptive === false) return ofWindow;
  return Math.min(ofWindow, NEAR_BUDGET_SHARE * economyTokens(thresholds.economy));
}

interface LiveSessionOptions {
  readonly ports: SessionPorts;
  readonly profileId: string;
  readonly closeSignal: AbortSignal;
}

function liveSession(
  id: string,
  { log, state }: SessionParts,
  { ports, profileId, closeSignal }: LiveSessionOptions,
): LiveSession {
  const { offload: files } = ports;
  const onFault = ports.condensation.monitor.fault;
  const repair = createViewRepair(ports.countTokens);
  return {
    id,
    systemPrompt: state.systemPrompt,
    profileId,
    log,
    countTokens: ports.countTokens,
    backOff: createBackOff(),
    localBackOff: createLocalBackOff(),
    rent: createRentMeter(ports.countTokens),
    repaired: repair.repaired,
    lookAhead: () => runPaced(repair.lookAhead(log.state()), ports.condensation.pause),
    model: state.model,
    meter: state.meter,
    ports: ports.condensation,
    offload: files === undefined ? undefined : () => startOffloading({ sessionId: id, files, onFault }),
    closeSignal,
    record: log.record,
  };
}

/** The error for messages that were passed for a session which has a log already: they must not be dropped silently. */
export function alreadyThere(id: string): PalimpsestError {
  return new PalimpsestError(
    "invalid-argument",
    `The session ${JSON.stringify(id)} has a log already. Choose another id, or open it without messages.`,
  );
}
