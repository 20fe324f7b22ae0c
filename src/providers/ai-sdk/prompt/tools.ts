import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { PalimpsestError } from "../../../core/errors.ts";
import type { ToolSpecification } from "../../../core/ports/model-handler.ts";

/** The tool's name with only the characters that every provider allows, and a first one that Gemini allows. */
export function toolName(name: string): string {
  return (
    name
      .replace(/[^\w-]/g, "_")
      .replace(/^(?=[\d-])/, "_")
      .slice(0, 64) || "tool"
  );
}

/** The tools by the names that are sent. Throws "invalid-argument" where two tools would have the same. */
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

/** The definitions of the tools that the model may call, in the given order: another order would invalidate the provider's cache. */
export function offeredTools(tools: ReadonlyMap<string, ToolSpecification>): LanguageModelV4FunctionTool[] {
  return [...tools].map(([name, { description, inputSchema }]) => ({
    type: "function",
    name,
    description,
    inputSchema,
  }));
}

/** Placeholder definitions of tools that the conversation calls, for providers that demand them; only their names are known. */
export function calledTools(names: ReadonlySet<string>): LanguageModelV4FunctionTool[] {
  return [...names].map((name) => ({ type: "function", name, inputSchema: { type: "object" } }));
}
