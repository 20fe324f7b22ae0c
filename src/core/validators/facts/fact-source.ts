import { findIdentifiers, type Identifier } from "../../text/identifiers.ts";

/**
 * Where a fact comes from.
 * - `constraint`: a line in which the user says what must, must not or may only be done.
 * - `request`: another line of the user's.
 * - `modified-file`, `read-file`: a file that a tool call named, most recently used first.
 * - `unresolved-error`: a failed tool call that did not succeed later.
 * - `open-work`: what the assistant said last.
 * - `earlier-summary`: a summary that is itself being hidden.
 */
export type FactSource = keyof typeof FACT_SOURCES;

/** How much a fact of each source weighs, and how many of them are asked for at most. */
export const FACT_SOURCES = {
  constraint: { weight: 3, limit: 20 },
  "modified-file": { weight: 3, limit: 10 },
  "unresolved-error": { weight: 2, limit: 15 },
  "earlier-summary": { weight: 2, limit: 15 },
  request: { weight: 1, limit: 10 },
  "read-file": { weight: 1, limit: 5 },
  "open-work": { weight: 1, limit: 15 },
} as const satisfies Record<string, { readonly weight: number; readonly limit: number }>;

/** The identifiers of these texts, each once, as many as the source may have. */
export function collectIdentifiers(source: FactSource, texts: Iterable<string>): readonly Identifier[] {
  const found = new Map<string, Identifier>();
  for (const text of texts) {
    for (const { kind, value } of findIdentifiers(text)) {
      if (!found.has(value)) found.set(value, { kind, value });
      if (found.size >= FACT_SOURCES[source].limit) return [...found.values()];
    }
  }
  return [...found.values()];
}
