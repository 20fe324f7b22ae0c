import { join } from "node:path";
import type { Agent, LaunchOptions } from "../agent.ts";

/** One of the APIs that it speaks. */
interface ContinueApi {
  /** Its own name for who speaks it. */
  readonly provider: string;
  /** Below the origin. */
  readonly basePath: string;
}

const OPENAI = { provider: "openai", basePath: "/v1" };
const MESSAGES = { provider: "anthropic", basePath: "/v1/" };

export const continueAgent: Agent = {
  name: "Continue",
  packageName: "@continuedev/cli",
  version: "1.5.47",
  command: "cn",
  modelId: "scripted-model",
  tightWindowTokens: 24_000,
  givesUpOn: [],
  canContinueAfterTools: true,
  summarises: { type: "window", tokens: 24_000 },
  // Its sub-agents work only where a person sits in front of it.
  delegates: undefined,
  isPointedByRun: false,
  launch: launchOn(OPENAI),
};

/** Models of OpenAI's that it does not ask by Chat Completions. */
export const continueOnResponses: Agent = { ...continueAgent, name: "Continue on Responses", modelId: "gpt-5" };

export const continueOnMessages: Agent = {
  ...continueAgent,
  name: "Continue on Messages",
  modelId: "claude-sonnet-4-5",
  givesUpOn: ["429", "500"],
  // What it sends after a summary begins with a reply, which Anthropic refuses.
  summarises: undefined,
  launch: launchOn(MESSAGES),
};

function launchOn(api: ContinueApi): Agent["launch"] {
  return (options) => ({
    arguments: [
      "-p",
      "--auto",
      "--config",
      join(options.home, "config.yaml"),
      ...(options.isContinued ? ["--resume"] : []),
      options.prompt,
    ],
    environment: { CONTINUE_CLI_ENABLE_TELEMETRY: "0" },
    // What is JSON is YAML too.
    files: { "config.yaml": JSON.stringify(configuration(api, options)) },
  });
}

function configuration({ provider, basePath }: ContinueApi, options: LaunchOptions) {
  const { url = "http://127.0.0.1", apiKey, modelId, believedWindowTokens = 400_000 } = options;
  const limits = { contextLength: believedWindowTokens, maxTokens: 4_096 };
  const asked = { provider, model: modelId, apiBase: `${url}${basePath}`, apiKey };
  const model = { name: "scripted", ...asked, defaultCompletionOptions: limits, roles: ["chat"] };
  return { name: "scripted", version: "1.0.0", schema: "v1", models: [model] };
}
