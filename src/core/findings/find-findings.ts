import { findHiddenInstructions } from "./find-hidden-instructions.ts";
import { findInRequests } from "./find-in-requests.ts";
import { findInView } from "./find-in-view.ts";
import type { Finding, FindingSource } from "./finding.ts";

/** What a session pays for that it need not, and what its agent no longer sees; what it no longer sees first, then the dearest. */
export function findFindings(source: FindingSource): readonly Finding[] {
  const costs = [...findInView(source), ...findInRequests(source)];
  return [...findHiddenInstructions(source), ...costs.toSorted((one, other) => other.tokens - one.tokens)];
}
