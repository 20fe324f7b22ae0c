import { LOG_LEVELS } from "../../engine/configuration/log-level.ts";
import { CACHE_MARKINGS, CACHE_TTLS, DEFAULT_UPSTREAMS, KEPT_REQUESTS } from "../../gateway/defaults.ts";
import { OFFLOAD_OPTION } from "../sessions/offload-folder.ts";
import { RETENTION_OPTIONS } from "../sessions/retention-options.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import type { CommandOption } from "../terminal/command-line.ts";

/** The policies that decide when to fold: by prices, or by how full the window is. */
export const POLICIES = ["rent", "threshold"] as const;

/** The options that `up` and `run` share. */
export const GATEWAY_OPTIONS = {
  upstream: { value: "URL", about: "the server for all requests, such as a proxy of your company" },
  "anthropic-upstream": {
    value: "URL",
    about: `the server for Anthropic's API (default: ${DEFAULT_UPSTREAMS.anthropic})`,
  },
  "openai-upstream": {
    value: "URL",
    about: `the server for OpenAI's APIs (default: ${DEFAULT_UPSTREAMS.openai})`,
  },
  "gemini-upstream": {
    value: "URL",
    about: `the server for Gemini's API\n(default: ${DEFAULT_UPSTREAMS.gemini})`,
  },
  window: {
    value: "TOKENS",
    about:
      "the context window, such as 128k; for single models: gpt-5=272k,claude-sonnet-4-5=200k\n(default: the model's own)",
  },
  budget: {
    value: "BUDGETS",
    about: "the largest prompt, by kind of request: main=120k,sub-agent=60k,side=30k\n(default: the window)",
  },
  policy: {
    value: "POLICY",
    about: `when to fold: ${POLICIES.join(", ")}\n(default: rent, which decides by prices, if these are known and no --threshold is set)`,
  },
  economy: {
    value: "ECONOMY",
    about:
      "how much of the conversation a fold by prices leaves: careful (32k tokens), balanced (16k),\nthrifty (8k), or a number of tokens (default: balanced)",
  },
  threshold: { value: "PERCENT", about: "how full the window may become before a fold (default: by the model)" },
  "condense-with": {
    value: "MODEL",
    about: "a model that writes summaries, such as anthropic/claude-haiku-4-5\n(default: none; folding is local)",
  },
  "budget-notice": { about: "tell the model how full its window is, in one line at every 10 percent from 20 on" },
  "cache-breakpoints": {
    value: "WHEN",
    about: `which requests get our marks for Anthropic's prompt cache, beside the agent's own:\n${CACHE_MARKINGS.join(", ")} (default: folded, requests that show folds)`,
  },
  "cache-ttl": {
    value: "TIME",
    about: `how long our marks keep system prompt and tools cached: ${CACHE_TTLS.join(", ")} (default: 5m)`,
  },
  "cache-diagnosis": {
    about: "ask Anthropic and OpenAI why their caches missed; `palimpsest statement` shows it",
  },
  "recall-tool": {
    about: "add a tool to conversations that show folds, by which the model reads hidden messages",
  },
  "keep-requests": {
    value: "WHICH",
    about: `which request bodies are stored for the dashboard, byte for byte: ${KEPT_REQUESTS.join(", ")} (default: all)`,
  },
  store: {
    ...STORE_OPTION,
    about:
      "the store of the sessions: memory, a database file, or postgres://…\n(default: $PALIMPSEST_STORE, else a file in your data folder)",
  },
  ...RETENTION_OPTIONS,
  offload: OFFLOAD_OPTION,
  "log-level": logLevelOption("nothing"),
  config: { value: "FILE", about: "a JSON file with these settings; options on the command line win" },
} as const satisfies Readonly<Record<string, CommandOption>>;

/** `--log-level` of a command that logs this where the option is not given. */
export function logLevelOption(byDefault: string) {
  return { value: "LEVEL", about: `what is logged: ${LOG_LEVELS.join(", ")} (default: ${byDefault})` } as const;
}
