import type { Message } from "../../message/message.ts";
import type { Boundary, EvalSession, NeededIdentifier } from "../eval-types.ts";
import { type MessagePart, messageParts } from "../view/message-parts.ts";
import { messageIdentifiers, wordSet } from "./eval-identifiers.ts";

/**
 * The identifiers that the agent needed to remember: those seen before the boundary whose first occurrence after it, within the horizon, is
 * in the agent's own words or calls; without the common ones. In the order of their use.
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

/** An identifier that the agent used, and its first use. */
export interface Use {
  readonly value: string;
  readonly place: { readonly index: number; readonly part: number };
}

/** The identifiers that occur after the boundary first in the agent's own words or calls, whether they were seen before it or not. */
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

/** The message, and the part of it, in which an identifier is used. */
interface UsePlace {
  readonly index: number;
  readonly part: number;
}

/** Only the last words before the use make up the query. */
const MAX_QUERY_CHARACTERS = 800;

/**
 * The agent's own words right before it used an identifier, without the identifier: those before it in the same message or,
 * where there are none, those of its previous message. Empty where there are none at all.
 */
function recallQuery(messages: readonly Message[], { index, part }: UsePlace, value: string): string {
  const message = messages[index];
  if (message === undefined) return "";
  const parts = messageParts(message);
  const used = parts[part];
  const inSameText = used !== undefined && !used.isCall ? wordsBefore(used, value) : "";
  const here = [...parts.slice(0, part).map(spokenText), inSameText].join("\n");
  return asQuery(here, value) || asQuery(previousWords(messages, index), value);
}

function wordsBefore(part: MessagePart, value: string): string {
  const text = part.texts.join("\n");
  const at = text.indexOf(value);
  return at < 0 ? "" : text.slice(0, at);
}

function spokenText({ author, isCall, texts }: MessagePart): string {
  return (author === "agent" || author === "thought") && !isCall ? texts.join("\n") : "";
}

function previousWords(messages: readonly Message[], before: number): string {
  for (let index = before - 1; index >= 0; index--) {
    const message = messages[index];
    const text = message === undefined ? "" : messageParts(message).map(spokenText).join("\n");
    if (text.trim() !== "") return text;
  }
  return "";
}

function asQuery(text: string, value: string): string {
  return text.replaceAll(value, " ").slice(-MAX_QUERY_CHARACTERS).trim();
}
