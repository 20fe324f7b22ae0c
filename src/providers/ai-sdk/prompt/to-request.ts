import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { PalimpsestError } from "../../../core/errors.ts";
import type { Message } from "../../../core/message/message.ts";
import type { ModelEntry } from "../../../core/models/model-entry.ts";
import type { ToolSpecification } from "../../../core/ports/model-handler.ts";
import type { Provider } from "../provider-table.ts";
import { keepsReasoning, withRequiredReasoning } from "./reasoning.ts";
import { assistantContent, resultContent, userContent, wellFormed } from "./to-parts.ts";
import { calledTools, offeredTools, toolName } from "./tools.ts";
import { type Turn, toTurns } from "./turns.ts";
import { withWholePairs } from "./whole-pairs.ts";

interface RequestOptions {
  readonly provider: Provider;
  readonly entry: ModelEntry;
  /** What the model may call, by the names that are sent. @default nothing */
  readonly tools?: ReadonlyMap<string, ToolSpecification>;
}

type Request = Pick<LanguageModelV4CallOptions, "prompt" | "tools" | "toolChoice">;

/** What the package is asked to send: the conversation, and the tools that may be called. */
export function toRequest(
  systemPrompt: string,
  messages: readonly Message[],
  { provider, entry, tools = new Map() }: RequestOptions,
): Request {
  const pairs = withWholePairs(toTurns(messages, keepsReasoning(provider, entry)));
  const turns = startingWithUser(withRequiredReasoning(pairs, provider, entry));
  const prompt: LanguageModelV4Prompt = /\S/.test(systemPrompt)
    ? [{ role: "system", content: wellFormed(systemPrompt) }]
    : [];
  const names = new Map<string, string>();
  for (const { role, blocks } of turns) {
    for (const block of blocks) if (block.type === "tool_use") names.set(block.id, toolName(block.name));
    if (role === "assistant") prompt.push({ role, content: assistantContent(blocks, provider.seals) });
    else prompt.push(...userMessages(blocks, names, provider));
  }
  if (tools.size > 0) return { prompt, tools: offeredTools(tools) };
  if (!provider.wantsToolDefinitions || names.size === 0) return { prompt };
  return { prompt, tools: calledTools(new Set(names.values())), toolChoice: { type: "none" } };
}

function userMessages(
  blocks: Turn["blocks"],
  names: ReadonlyMap<string, string>,
  provider: Provider,
): readonly LanguageModelV4Message[] {
  const results = resultContent(blocks, names, provider.takesResultImages);
  const rest = userContent(blocks);
  return [
    ...(results.length > 0 ? [{ role: "tool", content: results } as const] : []),
    ...(rest.length > 0 ? [{ role: "user", content: rest } as const] : []),
  ];
}

// The messages to condense may begin with the summary of earlier ones, which is the assistant's.
function startingWithUser(turns: readonly Turn[]): readonly Turn[] {
  const [first] = turns;
  if (first === undefined) {
    throw new PalimpsestError(
      "invalid-argument",
      "messages hold nothing to send; give at least one text, image or tool call.",
    );
  }
  if (first.role === "user") return turns;
  return [{ role: "user", blocks: [{ type: "text", text: "[The conversation before this is not shown.]" }] }, ...turns];
}
