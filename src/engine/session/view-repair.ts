import type { CountTokens, Message } from "../../core/message/message.ts";
import { repairTurns, repairView } from "../../core/message/repair-view.ts";
import { contentBlocks, isToolUse } from "../../core/message/tool-pairs.ts";
import { validateView } from "../../core/message/validate-view.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import type { LogState } from "./log-state.ts";

/** A view as providers take it. */
export interface RepairedView {
  /** The view itself where nothing in it is damaged. */
  readonly messages: readonly Message[];
  /** What the repair adds to the view. */
  readonly addedTokens: number;
}

/** What is known of a view up to where its last turn begins: later messages do not change it. */
interface Checked {
  readonly rewriteVersion: number;
  readonly end: number;
  readonly callIds: Set<string>;
  readonly isDamaged: boolean;
}

/** Repairs the views of one session. Of a view that has only grown, what is new is looked at. */
export function createViewRepair(countTokens: CountTokens): (state: LogState) => RepairedView {
  let checked: Checked | undefined;
  return (state) => {
    const { view, rewriteVersion } = state;
    const known = checked?.rewriteVersion === rewriteVersion && checked.end <= view.length ? checked : undefined;
    const { end, callIds, isDamaged } = known ?? { end: 0, callIds: new Set<string>(), isDamaged: false };
    const lastTurn = startOfLastTurn(view);
    const problems = validateView(view.slice(end)).filter(({ code }) => end === 0 || code !== "first-turn-not-user");
    const isOldDamage = problems.some(({ messageIndex = 0 }) => end + messageIndex < lastTurn);
    const hasDouble = addCallIds(callIds, view.slice(end, lastTurn));
    const wasDamaged = isDamaged || isOldDamage || hasDouble;
    checked = { rewriteVersion, end: Math.max(end, lastTurn), callIds, isDamaged: wasDamaged };
    const doubledNow = callIdsOf(view.slice(lastTurn)).some((id) => callIds.has(id));
    if (view.length === 0 || !(wasDamaged || problems.length > 0 || doubledNow))
      return { messages: view, addedTokens: 0 };
    const isOnlyInLastTurn = lastTurn > 0 && !wasDamaged && !doubledNow;
    return isOnlyInLastTurn ? repairLastTurn(view, lastTurn, countTokens) : repairAll(view, countTokens);
  };
}

function repairAll(view: readonly Message[], countTokens: CountTokens): RepairedView {
  const messages = repairView(view);
  return { messages, addedTokens: countAdded(view, messages, countTokens) };
}

/** What a request in the middle of a tool loop costs must not grow with the turns before it. */
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

/** Finds where the newest reply begins: the results of its calls are still to come, or are in the turn behind it. */
function startOfLastTurn(view: readonly Message[]): number {
  const last = view.findLastIndex(({ role }) => role === "assistant");
  return view.findLastIndex(({ role }, index) => index < last && role !== "assistant") + 1;
}

/** Whether an id was there already. */
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
