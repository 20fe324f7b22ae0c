/** The most entries of each list that a context shows, and the limits of age and relevance. */
export const CONTEXT_LIMITS = {
  errors: 3,
  /** Also for short-term memory. */
  observations: 5,
  summaries: 5,
  facts: 10,
  templates: 3,
  retrievals: 10,
  /** For measurements and citations each. */
  otherEvidence: 10,
  evidenceMaxAgeMs: 60_000,
  /** Entries must be more similar to the goal, and retrievals more relevant, than this. */
  relevance: 0.3,
} as const;
