import { tryParseJson } from "../json/parse-json.ts";
import { fieldAt, isRecord } from "../json/read-json.ts";
import type { DeclaredTool } from "./finding.ts";

/** The tools that the body of a request to any API declares; none where it is not JSON. */
export function declaredTools(body: string): readonly DeclaredTool[] {
  const value = tryParseJson(body);
  const tools = fieldAt(value, "tools") ?? fieldAt(value, "request", "tools");
  return Array.isArray(tools) ? tools.flatMap(toolsIn) : [];
}

/** The tools in one entry of the list: the name may be in the entry or in its `function`, and Gemini groups declarations in an entry. */
function toolsIn(tool: unknown): readonly DeclaredTool[] {
  if (!isRecord(tool)) return [];
  const grouped = tool.functionDeclarations ?? tool.function_declarations;
  if (Array.isArray(grouped)) return grouped.flatMap(toolsIn);
  const name = tool.name ?? fieldAt(tool, "function", "name");
  return typeof name === "string" ? [{ name, characters: JSON.stringify(tool).length }] : [];
}
