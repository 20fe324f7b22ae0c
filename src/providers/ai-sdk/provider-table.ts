import type { AnyLanguageModel } from "./older-models.ts";

/** How to reach one provider, and what its wire accepts. A new provider is a new entry of {@link PROVIDERS}. */
export interface Provider {
  /** Installed by the user, and loaded at the first request. */
  readonly packageName: string;
  readonly key: KeyRule;
  /** The base URL of its API; undefined where the user must give it. */
  readonly baseUrl: string | undefined;
  readonly reasoningBack: ReasoningBack;
  /** Undefined where the provider has no seals. */
  readonly seals: Seals | undefined;
  /** Whether it refuses tool calls in the history of a request without tool definitions. */
  readonly wantsToolDefinitions: boolean;
  /** Whether it accepts images inside tool results. */
  readonly takesResultImages: boolean;
  /** Whether tokens cost nothing, whatever a model of that name costs elsewhere. */
  readonly isSelfHosted: boolean;
  open(modelId: string, connection: Connection): Promise<AnyLanguageModel>;
}

/** The environment variables of the key, the preferred one first. */
export interface KeyRule {
  readonly isRequired: boolean;
  readonly variables: readonly string[];
}

/** Which reasoning is sent back to the model. */
export type ReasoningBack =
  /** Only reasoning with the provider's own seal. */
  | "sealed"
  | "all"
  /** All, where the registry says that the model requires it. */
  | "where-required"
  | "none";

/** Signatures and encrypted content that the provider wants back unchanged, and that nobody else can read. */
export interface Seals {
  /** The fields, which have the same names in our blocks and in the package's metadata. */
  readonly fields: readonly string[];
  /** The key of `providerOptions` under which the package takes them. */
  readonly packageKey: string;
}

/** How a package reaches its provider. */
export interface Connection {
  readonly baseURL: string;
  readonly apiKey?: string;
  readonly headers: Record<string, string>;
  readonly fetch?: typeof globalThis.fetch;
}

// Gemini's, also behind a server with OpenAI's API
const THOUGHT_SIGNATURES: Seals = { fields: ["thoughtSignature"], packageKey: "google" };

const CHAT = {
  seals: undefined,
  wantsToolDefinitions: false,
  takesResultImages: false,
  isSelfHosted: false,
} as const;

const COMPATIBLE = {
  ...CHAT,
  packageName: "@ai-sdk/openai-compatible",
  seals: THOUGHT_SIGNATURES,
  reasoningBack: "where-required",
  async open(modelId: string, connection: Connection) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    return createOpenAICompatible({ ...connection, name: "compatible", includeUsage: true }).chatModel(modelId);
  },
} as const;

function localServer(baseUrl: string, keyVariable: string): Provider {
  return { ...COMPATIBLE, baseUrl, key: { isRequired: false, variables: [keyVariable] }, isSelfHosted: true };
}

function keyFrom(...variables: readonly string[]): KeyRule {
  return { isRequired: true, variables };
}

/** Every provider by its name, the part of a model string before the slash. */
export const PROVIDERS: Readonly<Record<string, Provider>> = {
  anthropic: {
    packageName: "@ai-sdk/anthropic",
    key: keyFrom("ANTHROPIC_API_KEY"),
    baseUrl: "https://api.anthropic.com/v1",
    reasoningBack: "sealed",
    seals: { fields: ["signature", "redactedData"], packageKey: "anthropic" },
    wantsToolDefinitions: true,
    takesResultImages: true,
    isSelfHosted: false,
    async open(modelId, connection) {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic(connection)(modelId);
    },
  },
  openai: {
    ...CHAT,
    packageName: "@ai-sdk/openai",
    key: keyFrom("OPENAI_API_KEY"),
    baseUrl: "https://api.openai.com/v1",
    reasoningBack: "none",
    async open(modelId, connection) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      // few of the proxies that a base URL may point to support the package's default, the Responses API
      return createOpenAI(connection).chat(modelId);
    },
  },
  google: {
    ...CHAT,
    packageName: "@ai-sdk/google",
    key: keyFrom("GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY"),
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    reasoningBack: "sealed",
    seals: THOUGHT_SIGNATURES,
    async open(modelId, connection) {
      // the name that all versions of the package export
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return createGoogleGenerativeAI(connection)(modelId);
    },
  },
  deepseek: {
    ...CHAT,
    packageName: "@ai-sdk/deepseek",
    key: keyFrom("DEEPSEEK_API_KEY"),
    baseUrl: "https://api.deepseek.com",
    reasoningBack: "all",
    async open(modelId, connection) {
      const { createDeepSeek } = await import("@ai-sdk/deepseek");
      return createDeepSeek(connection)(modelId);
    },
  },
  "openai-compatible": {
    ...COMPATIBLE,
    key: { isRequired: false, variables: ["OPENAI_COMPATIBLE_API_KEY"] },
    baseUrl: undefined,
  },
  ollama: localServer("http://127.0.0.1:11434/v1", "OLLAMA_API_KEY"),
  lmstudio: localServer("http://127.0.0.1:1234/v1", "LMSTUDIO_API_KEY"),
  vllm: localServer("http://127.0.0.1:8000/v1", "VLLM_API_KEY"),
};
