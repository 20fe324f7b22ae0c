import { COUNT, choice, described, record, STRING } from "./schema-parts.ts";

export const CACHE_DIAGNOSIS = described(
  record({
    "provider?": record({ reason: STRING, "missedTokens?": COUNT }),
    "predicted?": record({
      part: choice("model", "tools", "system", "messages"),
      byte: described(COUNT, "Of the body that was sent: the first one that differs."),
      cause: choice("agent", "gateway"),
    }),
  }),
  "Why the provider's cache missed, in its words and in ours.",
);
