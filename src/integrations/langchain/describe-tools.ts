import type { LangChainCore } from "./load-core.ts";

/** A tool stays the same object for as long as its agent lives. */
const described = new WeakMap<object, object>();

/** Tools as they are sent, to be counted: about as long on every wire. A tool that only its provider runs is its own description. */
export function describeTools(tools: readonly object[] | undefined, core: LangChainCore): readonly object[] {
  return (tools ?? []).map((tool) => {
    const known = described.get(tool) ?? describe(tool, core);
    described.set(tool, known);
    return known;
  });
}

function describe(tool: object, { convertToOpenAITool }: LangChainCore): object {
  return "schema" in tool ? convertToOpenAITool(tool) : tool;
}
