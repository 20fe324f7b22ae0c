import { fieldAt } from "../../core/json/read-json.ts";
import type { MastraStep } from "./types.ts";

/** The tools of a step, as they are counted: Mastra keeps the schema that is sent in a field of its own. */
export function describeTools({ tools = {}, activeTools }: MastraStep): readonly object[] {
  return Object.entries(tools)
    .filter(([name]) => activeTools === undefined || activeTools.includes(name))
    .map(([name, tool]) => ({
      name,
      description: fieldAt(tool, "description"),
      inputSchema: fieldAt(tool, "parameters", "jsonSchema") ?? fieldAt(tool, "inputSchema", "jsonSchema"),
    }));
}
