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

/** The part of a model that is used. */
export interface StreamingModel {
  doStream(options: LanguageModelV4CallOptions): PromiseLike<{
    readonly stream: ReadableStream<LanguageModelV4StreamPart>;
  }>;
}

/** Wraps a model of AI SDK 5 or 6 as one of AI SDK 7: users have the provider packages of the AI SDK that they use. */
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
  toNewest: (part: Part) => LanguageModelV4StreamPart | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  const parts = new TransformStream<Part, LanguageModelV4StreamPart>({
    transform(part, controller) {
      const newest = toNewest(part);
      if (newest !== undefined) controller.enqueue(newest);
    },
  });
  return stream.pipeThrough(parts);
}

type Settings = Pick<LanguageModelV2CallOptions, "maxOutputTokens" | "temperature" | "abortSignal" | "toolChoice">;

interface OlderSettings extends Settings {
  tools?: LanguageModelV2FunctionTool[];
}

/** The settings that we use, in the older form. Our requests have function tools only. */
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

/** Keeps the parts that `streamReply` reads; undefined for all others. */
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
      // In version 2, a reply that was cut short has the reason "unknown", and the provider's own reason is not passed on.
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

/** For Anthropic's package, whose input excludes the tokens read from the cache, and which does not report those written to it. */
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
