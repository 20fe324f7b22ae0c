import { tryParseJson } from "../json/parse-json.ts";
import { fieldAt, isRecord } from "../json/read-json.ts";
import type { DeclaredTool } from "./finding.ts";

/** The tools that a body of a request declares, whatever API it is for; none where it is no JSON. */
export function declaredTools(body: string): readonly DeclaredTool[] {
  const value = tryParseJson(body);
  const tools = fieldAt(value, "tools") ?? fieldAt(value, "request", "tools");
  return Array.isArray(tools) ? tools.flatMap(toolsIn) : [];
}

/** A tool has a name of its own, or one in its function; some APIs group declarations. */
function toolsIn(tool: unknown): readonly DeclaredTool[] {
  if (!isRecord(tool)) return [];
  const grouped = tool.functionDeclarations ?? tool.function_declarations;
  if (Array.isArray(grouped)) return grouped.flatMap(toolsIn);
  const name = tool.name ?? fieldAt(tool, "function", "name");
  return typeof name === "string" ? [{ name, characters: JSON.stringify(tool).length }] : [];
}
