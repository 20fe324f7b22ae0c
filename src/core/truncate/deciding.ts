import { isStandIn } from "../message/effective-view.ts";
import type { Message } from "../message/message.ts";
import { decides } from "../text/decisions/decides.ts";

/** So many decisions stay like what a person marked; more would be a conversation of its own. */
const MOST_UNITS = 8;
const MOST_TOKENS = 300;

/** Messages that are hidden together or not at all, with their size. */
interface SizedUnit {
  readonly tokens: number;
  readonly entries: readonly { readonly message: Message }[];
}

/** The newest units in which something was decided, as far as they are short. */
export function newestDeciding<Unit extends SizedUnit>(units: readonly Unit[]): readonly Unit[] {
  return units
    .filter(({ tokens }) => tokens <= MOST_TOKENS)
    .filter(({ entries }) => entries.some(({ message }) => !isStandIn(message) && decides(message)))
    .slice(-MOST_UNITS);
}
