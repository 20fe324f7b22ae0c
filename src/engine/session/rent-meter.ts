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
  /** What a call adds on average. */
  readonly growthTokens: number;
}

/** Knows how a session's view grows from call to call. What it says follows from the log alone: a session that is opened again decides the same. */
export interface RentMeter {
  /** Costs what counting the messages since the last call costs. */
  sizes(state: LogState, budgetTokens: number): RentSizes;
  /** A prompt was sent. */
  sent(at: number): void;
  /** When the last prompt was sent; undefined before the first one. */
  lastSentAt(): number | undefined;
}

/** What a call adds where nothing is known yet, and how many calls that is worth. */
const USUAL_GROWTH_TOKENS = 1_500;
const USUAL_GROWTH_CALLS = 5;
/** A larger arrival is an exception: one pasted file says nothing about the next calls. */
const MOST_GROWTH_TOKENS = 8_000;
/** The beginning and a turn are short: however long the view is where nobody answers, no more is looked at. */
const MOST_HEAD_MESSAGES = 8;
const MOST_TURN_MESSAGES = 100;

export function createRentMeter(countTokens: CountTokens): RentMeter {
  const tokensOf = (messages: readonly Message[]) =>
    messages.reduce((sum, message) => sum + countMessageTokens(message, countTokens), 0);
  let baseline: Baseline | undefined;
  let growth = startGrowth(0);
  let lastSentAt: number | undefined;

  return {
    sizes: (state, budgetTokens) => {
      const { view, rewriteVersion, appendedMessages } = state;
      if (baseline?.rewriteVersion !== rewriteVersion) {
        const rewritten = rewriteVersion === 0 ? [] : view.slice(0, Math.max(0, view.length - appendedMessages));
        baseline = { rewriteVersion, tokens: tokensOf(rewritten), newestTurnTokens: tokensOf(newestTurn(rewritten)) };
        growth = startGrowth(rewritten.length);
      }
      growth = addGrowth(growth, view, countTokens);
      const leftThen = tokensLeft({ budgetTokens, newestTurnTokens: baseline.newestTurnTokens });
      return {
        fixedTokens: Math.max(tokensOf(head(view)), baseline.tokens - leftThen),
        newestTurnTokens: tokensOf(newestTurn(view)),
        growthTokens: (growth.tokens + USUAL_GROWTH_TOKENS * USUAL_GROWTH_CALLS) / (growth.calls + USUAL_GROWTH_CALLS),
      };
    },
    sent: (at) => {
      lastSentAt = at;
    },
    lastSentAt: () => lastSentAt,
  };
}

/** The view right after it was rewritten last; empty where it never was. */
interface Baseline {
  readonly rewriteVersion: number;
  readonly tokens: number;
  readonly newestTurnTokens: number;
}

/** What calls have added since then. */
interface Growth {
  /** Messages of the view that are part of it. */
  readonly seen: number;
  readonly calls: number;
  readonly tokens: number;
  /** What came since the last reply. */
  readonly arrivedTokens: number;
}

function startGrowth(seen: number): Growth {
  return { seen, calls: 0, tokens: 0, arrivedTokens: 0 };
}

/** Each reply of the model ends a call: it and what came before it since the last one is what the call added. */
function addGrowth(before: Growth, view: readonly Message[], countTokens: CountTokens): Growth {
  let { calls, tokens, arrivedTokens } = before;
  for (const message of view.slice(before.seen)) {
    arrivedTokens += countMessageTokens(message, countTokens);
    if (message.role !== "assistant") continue;
    calls += 1;
    tokens += Math.min(arrivedTokens, MOST_GROWTH_TOKENS);
    arrivedTokens = 0;
  }
  return { seen: view.length, calls, tokens, arrivedTokens };
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
