/** How much of each list a context shows at most, and what is too old or too far from the goal to show. */
export const CONTEXT_LIMITS = {
  errors: 3,
  /** Also of short-term memory, which is what was observed a moment ago. */
  observations: 5,
  summaries: 5,
  facts: 10,
  templates: 3,
  retrievals: 10,
  /** Lists of evidence that nothing else limits. */
  otherEvidence: 10,
  evidenceMaxAgeMs: 60_000,
  /** Similarity to the goal, and relevance of what was retrieved, are above this. */
  relevance: 0.3,
} as const;
