import type {
  LanguageModelV2,
  LanguageModelV2CallOptions,
  LanguageModelV2FunctionTool,
  LanguageModelV2StreamPart,
  LanguageModelV2Usage,
  LanguageModelV3,
  LanguageModelV3StreamPart,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { PalimpsestError } from "../../core/errors.ts";
import { promptV2, promptV3 } from "./prompt/older-prompt.ts";

/** A model of any major version of the AI SDK that is in use: 5, 6 or 7. */
export type AnyLanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4;

/** What of a model is used. */
export interface StreamingModel {
  doStream(options: LanguageModelV4CallOptions): PromiseLike<{
    readonly stream: ReadableStream<LanguageModelV4StreamPart>;
  }>;
}

/** The model as those of AI SDK 7 are: people have the packages that go with the AI SDK that they use. */
export function asNewestModel(model: AnyLanguageModel): StreamingModel {
  switch (model.specificationVersion) {
    case "v4":
      return model;
    case "v3":
      return {
        doStream: async (options) => {
          const { stream } = await model.doStream({ ...settingsOf(options), prompt: promptV3(options.prompt) });
          return { stream: mapStream(stream, partFromV3) };
        },
      };
    case "v2":
      return {
        doStream: async (options) => {
          const { stream } = await model.doStream({ ...settingsOf(options), prompt: promptV2(options.prompt) });
          const usageOf = model.provider.startsWith("anthropic") ? uncachedUsage : totalUsage;
          return { stream: mapStream(stream, (part) => partFromV2(part, usageOf)) };
        },
      };
    default:
      throw unknownVersion(model);
  }
}

function unknownVersion(model: object): PalimpsestError {
  const version = JSON.stringify(Reflect.get(model, "specificationVersion"));
  return new PalimpsestError(
    "missing-package",
    `The installed AI SDK package makes models of version ${version}. Install one that goes with AI SDK 5, 6 or 7 (v2, v3, v4).`,
  );
}

function mapStream<Part>(
  stream: ReadableStream<Part>,
  newest: (part: Part) => LanguageModelV4StreamPart | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  const parts = new TransformStream<Part, LanguageModelV4StreamPart>({
    transform(part, controller) {
      const read = newest(part);
      if (read !== undefined) controller.enqueue(read);
    },
  });
  return stream.pipeThrough(parts);
}

type Settings = Pick<LanguageModelV2CallOptions, "maxOutputTokens" | "temperature" | "abortSignal" | "toolChoice">;

interface OlderSettings extends Settings {
  tools?: LanguageModelV2FunctionTool[];
}

/** What we set, and the tools: there are none but functions in what we send. */
function settingsOf({
  maxOutputTokens,
  temperature,
  abortSignal,
  tools,
  toolChoice,
}: LanguageModelV4CallOptions): OlderSettings {
  return {
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(abortSignal !== undefined && { abortSignal }),
    ...(tools !== undefined && { tools: tools.filter((tool) => tool.type === "function").map(olderTool) }),
    ...(toolChoice !== undefined && { toolChoice }),
  };
}

function olderTool({ type, name, description, inputSchema }: LanguageModelV4FunctionTool): LanguageModelV2FunctionTool {
  return { type, name, inputSchema, ...(description !== undefined && { description }) };
}

/** The parts that `streamReply` reads. */
function partFromV3(part: LanguageModelV3StreamPart): LanguageModelV4StreamPart | undefined {
  switch (part.type) {
    case "text-delta":
    case "reasoning-start":
    case "reasoning-delta":
    case "reasoning-end":
    case "tool-call":
    case "finish":
    case "error":
      return part;
    default:
      return undefined;
  }
}

function partFromV2(
  part: LanguageModelV2StreamPart,
  usageOf: (usage: LanguageModelV2Usage) => LanguageModelV4Usage,
): LanguageModelV4StreamPart | undefined {
  switch (part.type) {
    case "text-delta":
    case "reasoning-start":
    case "reasoning-delta":
    case "reasoning-end":
    case "tool-call":
    case "error":
      return part;
    case "finish": {
      const { finishReason, usage } = part;
      // There, a reply that was cut short has the reason "unknown"; the provider's own word is not handed on.
      const reason =
        finishReason === "unknown"
          ? { unified: "other" as const, raw: undefined }
          : { unified: finishReason, raw: finishReason };
      return { type: "finish", finishReason: reason, usage: usageOf(usage) };
    }
    default:
      return undefined;
  }
}

/** Anthropic's package counts what was read from the cache beside the input, and does not say what was written to it. */
function uncachedUsage({ inputTokens, outputTokens, cachedInputTokens }: LanguageModelV2Usage): LanguageModelV4Usage {
  const total = inputTokens === undefined ? undefined : inputTokens + (cachedInputTokens ?? 0);
  return usageFrom({ total, noCache: inputTokens, cacheRead: cachedInputTokens, outputTokens });
}

function totalUsage({ inputTokens, outputTokens, cachedInputTokens }: LanguageModelV2Usage): LanguageModelV4Usage {
  return usageFrom({ total: inputTokens, noCache: undefined, cacheRead: cachedInputTokens, outputTokens });
}

interface OlderCounts {
  readonly total: number | undefined;
  readonly noCache: number | undefined;
  readonly cacheRead: number | undefined;
  readonly outputTokens: number | undefined;
}

function usageFrom({ total, noCache, cacheRead, outputTokens }: OlderCounts): LanguageModelV4Usage {
  return {
    inputTokens: { total, noCache, cacheRead, cacheWrite: undefined },
    outputTokens: { total: outputTokens, text: undefined, reasoning: undefined },
  };
}
