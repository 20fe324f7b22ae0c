import { isStandIn } from "../../core/message/effective-view.ts";
import type { CountTokens, Message } from "../../core/message/message.ts";
import { tokensLeft } from "../../core/policy/rent.ts";
import { readStanding } from "../../core/standing/read-standing.ts";
import { countMessageTokens } from "../../core/tokens/count-messages.ts";
import { blocksOf } from "../../core/truncate/trim-units.ts";
import type { LogState } from "./log-state.ts";

/** The sizes of a view's parts that the policy by prices needs, in tokens as we count them. */
export interface RentSizes {
  /** What folds leave in the view in any case: what the last fold left above its budget or, before the first one, the standing context of the head. */
  readonly fixedTokens: number;
  /** The messages from the model's last reply on. */
  readonly newestTurnTokens: number;
}

/** Measures views for the policy by prices. The sizes follow from the log alone, so that a session which is opened again decides the same. */
export interface RentMeter {
  /** Counts only the newest turn, and after a fold the whole view once. */
  sizes(state: LogState, budgetTokens: number): RentSizes;
  /** Called with the time at which prepare returned a view. */
  prepared(at: number): void;
  /** The last such time; undefined where this process prepared none. */
  preparedAt(): number | undefined;
}

/** The most messages that count as head and as newest turn: in a view without any reply, both would be the whole view. */
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
        fixedTokens: Math.max(tokensOf(head(view).map(binding)), baseline.tokens - leftThen),
        newestTurnTokens: tokensOf(newestTurn(view)),
      };
    },
    prepared: (at) => {
      preparedAt = at;
    },
    preparedAt: () => preparedAt,
  };
}

/** The size of the view right after the last fold; zero where there was none. */
interface Baseline {
  readonly foldVersion: number;
  readonly tokens: number;
  readonly newestTurnTokens: number;
}

/** The messages before the model's first reply: the task and the rules of the project. */
function head(view: readonly Message[]): readonly Message[] {
  const beginning = view.slice(0, MOST_HEAD_MESSAGES + 1);
  const end = beginning.findIndex((message) => message.role === "assistant" || isStandIn(message));
  return end < 0 ? [] : beginning.slice(0, end);
}

const bindingOf = new WeakMap<Message, Message>();

/** A message without the texts in which nothing binds, such as the output of an agent's own command: the first fold hides them. */
function binding(message: Message): Message {
  const bound = bindingOf.get(message) ?? withoutUnbound(message);
  bindingOf.set(message, bound);
  return bound;
}

function withoutUnbound(message: Message): Message {
  const { parts, speech } = readStanding(message);
  const bound = new Set([...speech, ...parts.map(({ blockIndex }) => blockIndex)]);
  const blocks = blocksOf(message);
  const kept = blocks.filter((block, index) => bound.has(index) || block.type !== "text");
  return kept.length === blocks.length ? message : { ...message, content: kept };
}

function newestTurn(view: readonly Message[]): readonly Message[] {
  const newest = view.slice(-MOST_TURN_MESSAGES);
  const reply = newest.findLastIndex(({ role }) => role === "assistant");
  return newest.slice(Math.max(0, reply));
}
