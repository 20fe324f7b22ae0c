import type { Boundary, EvalSession, NeededIdentifier } from "../eval-types.ts";
import { messageParts } from "../view/message-parts.ts";
import { messageIdentifiers, wordSet } from "./eval-identifiers.ts";
import { recallQuery } from "./recall-query.ts";

/**
 * What the agent needed to know: identifiers seen before the boundary whose first occurrence after it, within the horizon, is
 * the agent's own, in what it said or called a tool with; not the common ones. In the order of their use.
 */
export function findNeeded(
  { messages }: EvalSession,
  boundary: Boundary,
  common: ReadonlySet<string>,
): readonly NeededIdentifier[] {
  const seen = identifiersBefore(messages, boundary.index);
  const needed = findUses(messages, boundary, common).filter(({ value }) => seen.has(value));
  return needed.map(({ value, place }) => ({ value, query: recallQuery(messages, place, value) }));
}

/** An identifier that the agent used, and where it did so first. */
export interface Use {
  readonly value: string;
  readonly place: { readonly index: number; readonly part: number };
}

/** What the agent named after the boundary before anyone else did, whether it was seen before the boundary or not. */
export function findUses(
  messages: EvalSession["messages"],
  boundary: Boundary,
  common: ReadonlySet<string>,
): readonly Use[] {
  const settled = new Set(common);
  const uses: Use[] = [];
  for (let index = boundary.index; index < boundary.horizonEnd; index++) {
    const message = messages[index];
    if (message === undefined) break;
    const parts = messageParts(message);
    for (const [part, { author, counts }] of messageIdentifiers(message).entries()) {
      if (author === "thought") continue;
      if (author !== "agent") {
        for (const word of wordSet(parts[part]?.texts ?? [])) settled.add(word);
        continue;
      }
      for (const value of counts.keys()) {
        if (settled.has(value)) continue;
        settled.add(value);
        uses.push({ value, place: { index, part } });
      }
    }
  }
  return uses;
}

function identifiersBefore(messages: EvalSession["messages"], end: number): ReadonlySet<string> {
  const seen = new Set<string>();
  for (const message of messages.slice(0, end)) {
    for (const { counts } of messageIdentifiers(message)) for (const value of counts.keys()) seen.add(value);
  }
  return seen;
}
