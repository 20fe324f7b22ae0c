import { sliceFields } from "../json/json-slices.ts";
import { RECALL_TOOL_NAME } from "../recall/tool-definition.ts";
import type { DifferenceCause } from "./describe-difference.ts";
import { firstPromptChange } from "./prompt-change.ts";

interface EarlierChangeOptions {
  /** The paths at which a body may have its list of messages. */
  readonly listPaths: readonly (readonly string[])[];
  /** Whether the gateway changed the second body. */
  readonly wasChanged: boolean;
}

/**
 * Explains a change between two bodies that goes before all messages for the provider, wherever it stands in the bodies: it reads the tools and the
 * system prompt first, and a cache ends there. Undefined if there is none.
 */
export function explainEarlierChange(
  [before, now]: readonly [string, string],
  { listPaths, wasChanged }: EarlierChangeOptions,
): Pick<DifferenceCause, "cause" | "sentence"> | undefined {
  const change = firstPromptChange(before, now, listPaths);
  switch (change?.part) {
    case undefined:
    case "messages":
      return undefined;
    case "model":
      return { cause: "agent", sentence: "The agent asked another model, which has a cache of its own." };
    case "system":
      return { cause: "agent", sentence: `The agent changed its system prompt, ${READ_FIRST}` };
    case "tools":
      return wasChanged && hasRecall(now) && !hasRecall(before)
        ? { cause: "us", sentence: `The gateway put its recall tool behind the agent's tools, ${READ_FIRST}` }
        : { cause: "agent", sentence: `The agent changed its tools, ${READ_FIRST}` };
  }
}

const READ_FIRST = "which the provider reads before the messages: it can take none of these from its cache.";

function hasRecall(body: string): boolean {
  const tools = sliceFields(body)?.get("tools");
  return tools !== undefined && body.slice(tools.start, tools.end).includes(JSON.stringify(RECALL_TOOL_NAME));
}
