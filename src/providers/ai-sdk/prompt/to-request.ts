import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";
import { PalimpsestError } from "../../../core/errors.ts";
import type { Message } from "../../../core/message/message.ts";
import type { ModelEntry } from "../../../core/models/model-entry.ts";
import type { Provider } from "../provider-table.ts";
import { keepsReasoning, withRequiredReasoning } from "./reasoning.ts";
import { assistantContent, resultContent, toolName, userContent, wellFormed } from "./to-parts.ts";
import { type Turn, toTurns } from "./turns.ts";
import { withWholePairs } from "./whole-pairs.ts";

interface RequestOptions {
  readonly provider: Provider;
  readonly entry: ModelEntry;
}

/** What the package is asked to send: the conversation, and the tools where the wire wants the called ones defined. */
export function toRequest(
  systemPrompt: string,
  messages: readonly Message[],
  { provider, entry }: RequestOptions,
): Pick<LanguageModelV4CallOptions, "prompt" | "tools" | "toolChoice"> {
  const pairs = withWholePairs(toTurns(messages, keepsReasoning(provider, entry)));
  const turns = startingWithUser(withRequiredReasoning(pairs, provider, entry));
  const prompt: LanguageModelV4Prompt = /\S/.test(systemPrompt)
    ? [{ role: "system", content: wellFormed(systemPrompt) }]
    : [];
  const names = new Map<string, string>();
  for (const { role, blocks } of turns) {
    for (const block of blocks) if (block.type === "tool_use") names.set(block.id, toolName(block.name));
    if (role === "assistant") prompt.push({ role, content: assistantContent(blocks) });
    else prompt.push(...userMessages(blocks, names, provider));
  }
  const tools = provider.wantsToolDefinitions ? definitions(new Set(names.values())) : [];
  return tools.length === 0 ? { prompt } : { prompt, tools, toolChoice: { type: "none" } };
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

function definitions(names: ReadonlySet<string>): LanguageModelV4FunctionTool[] {
  return [...names].map((name) => ({ type: "function", name, inputSchema: { type: "object" } }));
}
