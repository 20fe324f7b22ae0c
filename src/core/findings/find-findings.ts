import { findHiddenInstructions } from "./find-hidden-instructions.ts";
import { findInRequests } from "./find-in-requests.ts";
import { findInView } from "./find-in-view.ts";
import type { Finding, FindingSource } from "./finding.ts";

/** Finds needless costs of a session, and instructions that its agent no longer sees. The instructions come first, then costs in descending order. */
export function findFindings(source: FindingSource): readonly Finding[] {
  const costs = [...findInView(source), ...findInRequests(source)];
  return [...findHiddenInstructions(source), ...costs.toSorted((one, other) => other.tokens - one.tokens)];
}
