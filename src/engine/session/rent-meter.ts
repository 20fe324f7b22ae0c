import { isStandIn } from "../../core/message/effective-view.ts";
import type { CountTokens, Message } from "../../core/message/message.ts";
import { tokensLeft } from "../../core/policy/rent.ts";
import { countMessageTokens } from "../../core/tokens/count-messages.ts";
import type { LogState } from "./log-state.ts";

/** The parts of a view that its policy by prices weighs, in tokens as we count them. */
export interface RentSizes {
  /** What no fold makes smaller, the last one has shown; before the first one, what the agent was told before it first spoke. */
  readonly fixedTokens: number;
  /** From the model's last reply on. */
  readonly newestTurnTokens: number;
}

/** Measures views for the policy by prices. What it says follows from the log alone: a session that is opened again decides the same. */
export interface RentMeter {
  /** Costs what counting the newest turn costs; after a fold, the view. */
  sizes(state: LogState, budgetTokens: number): RentSizes;
  /** A prompt was given out to be sent. */
  prepared(at: number): void;
  /** When that was; undefined where none was in this process. */
  preparedAt(): number | undefined;
}

/** The beginning and a turn are short: however long the view is where nobody answers, no more is looked at. */
const MOST_HEAD_MESSAGES = 8;
const MOST_TURN_MESSAGES = 100;

export function createRentMeter(countTokens: CountTokens): RentMeter {
  const tokensOf = (messages: readonly Message[]) =>
    messages.reduce((sum, message) => sum + countMessageTokens(message, countTokens), 0);
  let baseline: Baseline | undefined;
  let preparedAt: number | undefined;

  return {
    sizes: (state, budgetTokens) => {
      const { view, lastFold } = state;
      const foldVersion = lastFold?.version ?? 0;
      if (baseline?.foldVersion !== foldVersion) {
        const folded =
          lastFold === undefined ? [] : view.slice(0, Math.max(0, view.length - lastFold.appendedMessages));
        baseline = { foldVersion, tokens: tokensOf(folded), newestTurnTokens: tokensOf(newestTurn(folded)) };
      }
      const leftThen = tokensLeft({ budgetTokens, newestTurnTokens: baseline.newestTurnTokens });
      return {
        fixedTokens: Math.max(tokensOf(head(view)), baseline.tokens - leftThen),
        newestTurnTokens: tokensOf(newestTurn(view)),
      };
    },
    prepared: (at) => {
      preparedAt = at;
    },
    preparedAt: () => preparedAt,
  };
}

/** The view right after it was folded last; empty where it never was. */
interface Baseline {
  readonly foldVersion: number;
  readonly tokens: number;
  readonly newestTurnTokens: number;
}

/** What came before the model first spoke: the task and the rules of the project. */
function head(view: readonly Message[]): readonly Message[] {
  const beginning = view.slice(0, MOST_HEAD_MESSAGES + 1);
  const end = beginning.findIndex((message) => message.role === "assistant" || isStandIn(message));
  return end < 0 ? [] : beginning.slice(0, end);
}

function newestTurn(view: readonly Message[]): readonly Message[] {
  const newest = view.slice(-MOST_TURN_MESSAGES);
  const reply = newest.findLastIndex(({ role }) => role === "assistant");
  return newest.slice(Math.max(0, reply));
}
