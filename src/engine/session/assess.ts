import type { Message } from "../../core/message/message.ts";
import { isThresholdSet } from "../../core/policy/condense-threshold.ts";
import type { RentDecision } from "../../core/policy/rent.ts";
import { decideManagement, type ManagementDecision } from "../../core/policy/will-manage-context.ts";
import type { CondensationContext, CondensationTrigger } from "../../core/ports/condensation.ts";
import type { Reserve } from "../../core/tokens/budget.ts";
import { decideByPrices } from "./decide-by-prices.ts";
import type { LiveSession } from "./live-session.ts";
import type { LogState } from "./log-state.ts";

/** The next prompt as it would be without a fold, and the policy's decision about it. */
export interface Assessment {
  readonly view: readonly Message[];
  /** The view with damage repaired, as it is sent. */
  readonly repairedView: readonly Message[];
  /** Our count of the view. */
  readonly viewTokens: number;
  readonly context: CondensationContext;
  readonly decision: ManagementDecision;
  /** The decision by prices; undefined where a percentage decides. */
  readonly rent: RentDecision | undefined;
  /** How much the decision keeps free for the reply. */
  readonly reserve: Reserve;
}

export interface AssessOptions {
  /** @default "auto" */
  readonly trigger?: CondensationTrigger;
  /** @default "usual" */
  readonly reserve?: Reserve;
}

/** Assesses the session as it is now. */
export function assess(session: LiveSession, { trigger = "auto", reserve = "usual" }: AssessOptions = {}): Assessment {
  const { log, profileId } = session;
  const { configuration, plugins, resolvers } = session.ports;
  const { contextWindow, maxTokens, inputLimitTokens, condense } = session.model();
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
  const context = contextOf(session, { state, decision, trigger });
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

interface ContextFacts extends Required<Pick<AssessOptions, "trigger">> {
  readonly state: LogState;
  readonly decision: ManagementDecision;
}

/** The session as condensers, hooks and resolvers see it. Frozen, as these are extensions. */
function contextOf(
  { id, log, profileId, model }: LiveSession,
  { state, decision, trigger }: ContextFacts,
): CondensationContext {
  const { prevContextTokens, allowedTokens, usedPercent } = decision;
  const { id: modelId, contextWindow } = model();
  return Object.freeze({
    taskId: id,
    // A getter: the messages of a log that was opened from a saved state may not be needed, and are read later.
    get messages() {
      return state.messages ?? log.loaded().messages;
    },
    ...{ modelId, profileId, trigger, contextWindow, prevContextTokens, allowedTokens, usedPercent },
  });
}

/** The policy's target, as a share of what is allowed beside system prompt and tools; undefined where the policy leaves it to the condenser. */
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

/** Writes one log line about an assessment and the action that follows. */
export function logCheck({ id, ports }: LiveSession, { context, view }: Assessment, action: string): void {
  const { prevContextTokens, contextWindow } = context;
  ports.monitor.checked({ taskId: id, prevContextTokens, contextWindow, messageCount: view.length, action });
}
