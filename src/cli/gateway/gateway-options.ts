import { LOG_LEVELS } from "../../engine/configuration/log-level.ts";
import { CACHE_MARKINGS, CACHE_TTLS, DEFAULT_UPSTREAMS, KEPT_REQUESTS } from "../../gateway/defaults.ts";
import { OFFLOAD_OPTION } from "../sessions/offload-folder.ts";
import { RETENTION_OPTIONS } from "../sessions/retention-options.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import type { CommandOption } from "../terminal/command-line.ts";

/** How it is decided when to fold: by prices, or by how full the window is. */
export const POLICIES = ["rent", "threshold"] as const;

/** What `up` and `run` both take. */
export const GATEWAY_OPTIONS = {
  upstream: { value: "URL", about: "where all requests go, such as a proxy of your company" },
  "anthropic-upstream": {
    value: "URL",
    about: `where those to Anthropic's API go (default: ${DEFAULT_UPSTREAMS.anthropic})`,
  },
  "openai-upstream": {
    value: "URL",
    about: `where those to OpenAI's APIs go (default: ${DEFAULT_UPSTREAMS.openai})`,
  },
  "gemini-upstream": {
    value: "URL",
    about: `where those to Gemini's API go\n(default: ${DEFAULT_UPSTREAMS.gemini})`,
  },
  window: {
    value: "TOKENS",
    about:
      "the context window, such as 128k; of single models: gpt-5=272k,claude-sonnet-4-5=200k\n(default: what is known of the model)",
  },
  budget: {
    value: "BUDGETS",
    about:
      "the most tokens of a prompt by the kind of request, where that is less than the window:\nmain=120k,sub-agent=60k,side=30k (default: the window)",
  },
  policy: {
    value: "POLICY",
    about: `when to fold: ${POLICIES.join(", ")}\n(default: rent, which goes by prices, where these are known and no --threshold is set)`,
  },
  economy: {
    value: "ECONOMY",
    about:
      "what a fold by prices leaves: careful (32k tokens), balanced (16k), thrifty (8k),\nor a number of tokens (default: balanced)",
  },
  threshold: { value: "PERCENT", about: "how full the window may become (default: by the model)" },
  "condense-with": {
    value: "MODEL",
    about: "a model that writes summaries, such as anthropic/claude-haiku-4-5\n(default: none; folding is local)",
  },
  "budget-notice": { about: "tell the model how full its window is: a line at every 10 percent from 20 on" },
  "cache-breakpoints": {
    value: "WHEN",
    about: `which requests get marks for Anthropic's prompt cache beside the agent's own:\n${CACHE_MARKINGS.join(", ")} (default: folded, those that show folds)`,
  },
  "cache-ttl": {
    value: "TIME",
    about: `how long our marks keep system prompt and tools: ${CACHE_TTLS.join(", ")} (default: 5m)`,
  },
  "cache-diagnosis": {
    about: "ask Anthropic and OpenAI why their caches missed; `palimpsest statement` shows it",
  },
  "recall-tool": {
    about: "add a tool to conversations that show folds, by which the model reads back what they hide",
  },
  "keep-requests": {
    value: "WHICH",
    about: `whose bodies are kept for the dashboard, byte for byte: ${KEPT_REQUESTS.join(", ")} (default: all)`,
  },
  store: {
    ...STORE_OPTION,
    about:
      "where sessions are kept: memory, a database file, or postgres://…\n(default: $PALIMPSEST_STORE, else a file in your data folder)",
  },
  ...RETENTION_OPTIONS,
  offload: OFFLOAD_OPTION,
  "log-level": {
    value: "LEVEL",
    about: `what is logged: ${LOG_LEVELS.join(", ")}\n(default: incidents alone)`,
  },
  config: { value: "FILE", about: "JSON with the same settings; what is given here wins" },
} as const satisfies Readonly<Record<string, CommandOption>>;
