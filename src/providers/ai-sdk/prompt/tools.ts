import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { PalimpsestError } from "../../../core/errors.ts";
import type { ToolSpecification } from "../../../core/ports/model-handler.ts";

/** The name in the characters that every provider allows, beginning with one that Gemini allows. */
export function toolName(name: string): string {
  return (
    name
      .replace(/[^\w-]/g, "_")
      .replace(/^(?=[\d-])/, "_")
      .slice(0, 64) || "tool"
  );
}

/** The tools by the names that the model calls them by. */
export function byToolName(tools: readonly ToolSpecification[]): ReadonlyMap<string, ToolSpecification> {
  const named = new Map<string, ToolSpecification>();
  for (const tool of tools) {
    const name = toolName(tool.name);
    const other = named.get(name);
    if (other !== undefined) {
      throw new PalimpsestError(
        "invalid-argument",
        `The tools ${JSON.stringify(other.name)} and ${JSON.stringify(tool.name)} would both be sent as ${name}. Rename one.`,
      );
    }
    named.set(name, tool);
  }
  return named;
}

/** Tools that the model may call, in the order given: another order would cost the provider's cache. */
export function offeredTools(tools: ReadonlyMap<string, ToolSpecification>): LanguageModelV4FunctionTool[] {
  return [...tools].map(([name, { description, inputSchema }]) => ({
    type: "function",
    name,
    description,
    inputSchema,
  }));
}

/** Tools that were called before, for wires that want to know them, and of which nothing else is known. */
export function calledTools(names: ReadonlySet<string>): LanguageModelV4FunctionTool[] {
  return [...names].map((name) => ({ type: "function", name, inputSchema: { type: "object" } }));
}
