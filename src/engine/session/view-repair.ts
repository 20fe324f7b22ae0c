import type { CountTokens, Message } from "../../core/message/message.ts";
import { repairTurns, repairView } from "../../core/message/repair-view.ts";
import { contentBlocks, isToolUse } from "../../core/message/tool-pairs.ts";
import { validateView } from "../../core/message/validate-view.ts";
import type { Steps } from "../../core/steps.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { LogState } from "./log-state.ts";

/** A view that providers accept. */
export interface RepairedView {
  /** The view itself where nothing in it is damaged. */
  readonly messages: readonly Message[];
  /** The tokens that the repair adds to the view. */
  readonly addedTokens: number;
}

/** The check of a view up to the beginning of its last turn: later messages do not change it. */
interface Checked {
  readonly rewriteVersion: number;
  readonly end: number;
  readonly callIds: Set<string>;
  readonly isDamaged: boolean;
}

/** Repairs the views of one session. In a view that has only grown, only the new messages are checked. */
export interface ViewRepair {
  repaired(state: LogState): RepairedView;
  /** Checks the new messages of a long view in steps, so that `repaired` has few left to check. */
  lookAhead(state: LogState): Steps<void>;
}

interface FoundDamage {
  readonly lastTurn: number;
  readonly isDamaged: boolean;
  /** Whether the damage lies before the newest turn. */
  readonly isOld: boolean;
}

/** How many messages are checked in one step: one or two milliseconds of work. */
const STEP_MESSAGES = 1_024;

/** @default stepMessages 1_024 */
export function createViewRepair(countTokens: CountTokens, { stepMessages = STEP_MESSAGES } = {}): ViewRepair {
  let checked: Checked | undefined;

  function check(view: readonly Message[], rewriteVersion: number): FoundDamage {
    const earlier = checked?.rewriteVersion === rewriteVersion && checked.end <= view.length ? checked : undefined;
    const { end, callIds, isDamaged } = earlier ?? { end: 0, callIds: new Set<string>(), isDamaged: false };
    const lastTurn = startOfLastTurn(view);
    const problems = validateView(view.slice(end)).filter(({ code }) => end === 0 || code !== "first-turn-not-user");
    const isOldDamage = problems.some(({ messageIndex = 0 }) => end + messageIndex < lastTurn);
    const hasDouble = addCallIds(callIds, view.slice(end, lastTurn));
    const wasDamaged = isDamaged || isOldDamage || hasDouble;
    checked = { rewriteVersion, end: Math.max(end, lastTurn), callIds, isDamaged: wasDamaged };
    const doubledNow = callIdsOf(view.slice(lastTurn)).some((id) => callIds.has(id));
    return {
      lastTurn,
      isDamaged: view.length > 0 && (wasDamaged || problems.length > 0 || doubledNow),
      isOld: wasDamaged || doubledNow,
    };
  }

  return {
    repaired: ({ view, rewriteVersion }) => {
      const { lastTurn, isDamaged, isOld } = check(view, rewriteVersion);
      if (!isDamaged) return { messages: view, addedTokens: 0 };
      const isOnlyInLastTurn = lastTurn > 0 && !isOld;
      return isOnlyInLastTurn ? repairLastTurn(view, lastTurn, countTokens) : repairAll(view, countTokens);
    },
    *lookAhead({ view, rewriteVersion }) {
      const start = checked?.rewriteVersion === rewriteVersion ? checked.end : 0;
      if (view.length - start <= stepMessages) return;
      const growing = [...view];
      for (let end = start + stepMessages; end < view.length; end += stepMessages) {
        // Another view may have been repaired meanwhile.
        if ((checked?.end ?? 0) < end) check(growing.slice(0, end), rewriteVersion);
        yield;
      }
    },
  };
}

function repairAll(view: readonly Message[], countTokens: CountTokens): RepairedView {
  const messages = repairView(view);
  return { messages, addedTokens: countAdded(view, messages, countTokens) };
}

/** Repairs the last turn alone, so that the cost of a request in a tool loop does not grow with the turns before it. */
function repairLastTurn(view: readonly Message[], lastTurn: number, countTokens: CountTokens): RepairedView {
  const turns = view.slice(lastTurn);
  const repaired = repairTurns(turns);
  if (repaired === turns) return { messages: view, addedTokens: 0 };
  const messages = [...view.slice(0, lastTurn), ...repaired];
  return { messages, addedTokens: countAdded(turns, repaired, countTokens) };
}

function countAdded(before: readonly Message[], after: readonly Message[], countTokens: CountTokens): number {
  if (before === after) return 0;
  return Math.max(0, countMessagesTokens(after, countTokens) - countMessagesTokens(before, countTokens));
}

/** The index at which the newest reply begins. The results of its calls are in the turn behind it, or still to come. */
function startOfLastTurn(view: readonly Message[]): number {
  const last = view.findLastIndex(({ role }) => role === "assistant");
  return view.findLastIndex(({ role }, index) => index < last && role !== "assistant") + 1;
}

/** Adds the messages' call ids; returns whether one of them was there already. */
function addCallIds(known: Set<string>, messages: readonly Message[]): boolean {
  let isDouble = false;
  for (const id of callIdsOf(messages)) {
    isDouble ||= known.has(id);
    known.add(id);
  }
  return isDouble;
}

function callIdsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ content }) =>
    contentBlocks(content)
      .filter(isToolUse)
      .map(({ id }) => id),
  );
}
