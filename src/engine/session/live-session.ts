import type { CountTokens, Message } from "../../core/message/message.ts";
import { isThresholdSet } from "../../core/policy/condense-threshold.ts";
import type { RentDecision } from "../../core/policy/rent.ts";
import {
  decideManagement,
  type ManagementDecision,
  MIN_CONDENSE_WINDOW,
} from "../../core/policy/will-manage-context.ts";
import type { CondensationContext, CondensationResult, CondensationTrigger } from "../../core/ports/condensation.ts";
import type { Reserve } from "../../core/tokens/budget.ts";
import type { BackOff } from "../condense/back-off.ts";
import { CONDENSING_IS_OFF } from "../condense/off-switch.ts";
import { type CondensationPorts, runCondensation } from "../condense/run-condensation.ts";
import { ownMessages } from "../extensions/own-messages.ts";
import { decideByPrices } from "./decide-by-prices.ts";
import type { LogState } from "./log-state.ts";
import type { Offloading } from "./offloader.ts";
import type { PromptMeter } from "./prompt-meter.ts";
import type { RentMeter } from "./rent-meter.ts";
import type { SessionEvent } from "./report.ts";
import type { SessionLog } from "./session-log.ts";
import type { SessionModel } from "./session-model.ts";
import type { RepairedView } from "./view-repair.ts";

/** The parts of a session that its operations work on. */
export interface LiveSession {
  readonly id: string;
  systemPrompt(): string;
  readonly profileId: string;
  readonly log: SessionLog;
  readonly countTokens: CountTokens;
  /** The back-off of condensers that ask a model, and of those that do not. */
  readonly backOff: BackOff;
  readonly localBackOff: BackOff;
  readonly rent: RentMeter;
  /** The view as providers take it. */
  readonly repaired: (state: LogState) => RepairedView;
  /** Aborted when the session is closed. */
  readonly closeSignal: AbortSignal;
  model(): SessionModel;
  meter(): PromptMeter;
  readonly ports: CondensationPorts;
  /** Starts the files of one fold; undefined where there is nowhere to put them. */
  readonly offload: (() => Offloading) | undefined;
  record(event: SessionEvent): void;
}

/** What the next prompt would be, and what the policy says about it. */
export interface Assessment {
  readonly view: readonly Message[];
  /** The view with what is damaged in it repaired: what is sent. */
  readonly repairedView: readonly Message[];
  /** Our count of the view. */
  readonly viewTokens: number;
  readonly context: CondensationContext;
  readonly decision: ManagementDecision;
  /** What prices say; undefined where a percentage decides. */
  readonly rent: RentDecision | undefined;
  /** What the decision keeps free for the reply. */
  readonly reserve: Reserve;
}

export interface AssessOptions {
  /** @default "auto" */
  readonly trigger?: CondensationTrigger;
  /** @default "usual" */
  readonly reserve?: Reserve;
}

/** Looks at the session as it is now. */
export function assess(session: LiveSession, { trigger = "auto", reserve = "usual" }: AssessOptions = {}): Assessment {
  const { log, id, profileId } = session;
  const { configuration, plugins, resolvers } = session.ports;
  const { contextWindow, maxTokens, inputLimitTokens, condense, id: modelId } = session.model();
  const state = log.state();
  const { view } = state;
  const { messages: repairedView, addedTokens } = session.repaired(state);
  const prevContextTokens = session.meter().measure(view) + addedTokens;
  const numbers = {
    totalTokens: prevContextTokens,
    lastMessageTokens: 0,
    contextWindow,
    maxTokens,
    overheadTokens: session.meter().overheadTokens(),
    reserve,
    ...(inputLimitTokens === undefined ? {} : { inputLimitTokens }),
    autoCondenseContext: configuration.strategies.primary !== "truncation" && plugins.list().length > 0,
    condensesLocally: condensesLocally(session),
    autoCondenseContextPercent: configuration.thresholds.global ?? condense.thresholdPercent,
    profileThresholds: configuration.thresholds.profiles,
    currentProfileId: profileId,
  };
  const decision = decideManagement(numbers);
  const { allowedTokens, usedPercent } = decision;
  // Frozen, for other people's code is shown it.
  const context: CondensationContext = Object.freeze({
    taskId: id,
    get messages() {
      return state.messages ?? log.loaded().messages;
    },
    modelId,
    profileId,
    trigger,
    contextWindow,
    prevContextTokens,
    allowedTokens,
    usedPercent,
  });
  const percent = resolvers.threshold(context);
  const resolved = percent === undefined ? decision : decideManagement(withThreshold(numbers, percent));
  const isByPercent = percent !== undefined || isThresholdSet(configuration.thresholds, profileId);
  const policy =
    (configuration.thresholds.adaptive ?? !isByPercent) ? decideByPrices(session, state, resolved) : undefined;
  return {
    view,
    repairedView,
    viewTokens: log.viewTokens(),
    context,
    decision: policy?.decision ?? resolved,
    rent: policy?.rent,
    reserve,
  };
}

/** What the policy aims at, as a share of what is allowed beside system prompt and tools; undefined where it leaves that to the condenser. */
export function shareOfTarget({ decision }: Assessment): number | undefined {
  const { targetTokens, overheadTokens, allowedTokens } = decision;
  if (targetTokens === undefined || allowedTokens <= overheadTokens) return undefined;
  return (targetTokens - overheadTokens) / (allowedTokens - overheadTokens);
}

function withThreshold<Numbers extends object>(numbers: Numbers, autoCondenseContextPercent: number) {
  return { ...numbers, autoCondenseContextPercent, profileThresholds: {} };
}

/** Whether there is a condenser that needs no model. */
export function condensesLocally({ ports }: LiveSession): boolean {
  return ports.plugins.list().some(({ usesModel = true }) => !usesModel);
}

/** One log line for this look at the session. */
export function logCheck({ id, ports }: LiveSession, { context, view }: Assessment, action: string): void {
  const { prevContextTokens, contextWindow } = context;
  ports.monitor.checked({ taskId: id, prevContextTokens, contextWindow, messageCount: view.length, action });
}

export interface CondenseRequest {
  readonly messages: readonly Message[];
  readonly context: CondensationContext;
  readonly prompt?: string | undefined;
  /** @default true */
  readonly mayAskModel?: boolean | undefined;
  readonly targetShare?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Asks the engine's condensers to condense; the log is not touched. */
export async function condenseMessages(session: LiveSession, request: CondenseRequest): Promise<CondensationResult> {
  const { context, prompt, targetShare, mayAskModel = true } = request;
  const { closeSignal } = session;
  const signal = request.signal === undefined ? closeSignal : AbortSignal.any([request.signal, closeSignal]);
  const ports = session.ports;
  return runCondensation(
    {
      // Condensers are shown them, and they may be on their way from one fold to the next.
      context: Object.freeze({ ...context, messages: ownMessages(request.messages) }),
      systemPrompt: session.systemPrompt(),
      overheadTokens: session.meter().overheadTokens(),
      countTokens: session.countTokens,
      keepMessages: ports.configuration.strategies.keepMessages ?? session.model().condense.keepMessages,
      prompt,
      targetShare,
      // A window that has no room for a model's summary still has room for lines of a ledger.
      mayAskModel: mayAskModel && context.contextWindow >= MIN_CONDENSE_WINDOW,
      signal,
    },
    ports,
  );
}

export interface TriedCondensation {
  /** The log that it was tried on. */
  readonly messages: readonly Message[];
  readonly result: CondensationResult;
  readonly prevContextTokens: number;
  /** Someone gave up waiting: that tells nothing about the model. @default false */
  readonly isAborted?: boolean;
}

/** Remembers what came of a condensation. */
export function recordCondensation(session: LiveSession, tried: TriedCondensation): void {
  const { messages, result, prevContextTokens, isAborted = false } = tried;
  const { error, modelError, cost, summary, condenseId, newContextTokens = 0 } = result;
  const at = session.ports.now();
  if (!isAborted && error !== CONDENSING_IS_OFF) {
    session.backOff.record(messages, result);
    session.localBackOff.record(messages, result);
  }
  // What that cost is part of the cost of the one that succeeded.
  if (modelError !== undefined) session.record({ type: "condense_failed", at, error: modelError, cost: 0 });
  if (error !== undefined) session.record({ type: "condense_failed", at, error, cost });
  else if (condenseId !== undefined) {
    session.record({ type: "condense_context", at, condenseId, summary, cost, prevContextTokens, newContextTokens });
  }
}
