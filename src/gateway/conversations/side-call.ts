import { contentBlocks, isToolUse } from "../../core/message/tool-pairs.ts";
import type { Heard } from "./heard.ts";
import type { LocatePorts } from "./locate.ts";
import type { Place } from "./place.ts";
import { quotesAgent } from "./quotes-agent.ts";
import { hasCalls } from "./telling.ts";

/**
 * Titles, checks and summaries that agents ask for on the side: they bring no tools, and are no part of the conversation. Checks may
 * show the middle of one.
 */
export async function isSideCall(heard: Heard, place: Place, ports: LocatePorts): Promise<boolean> {
  if (heard.isCompaction) return true;
  if (bringsTools(heard)) return false;
  return isBesides(heard, place) || (place.type === "create" && quotesAgent(heard, ports));
}

/** Whether there are tools to work with. One that only gives the answer its form is none: it must be called, or others are. */
function bringsTools({ request: { tools, onlyTool }, messages }: Heard): boolean {
  if (tools.length === 0 || onlyTool === undefined) return tools.length > 0;
  const calls = messages.flatMap(({ content }) => contentBlocks(content).filter(isToolUse));
  if (calls.some(({ name }) => name === onlyTool.name)) return true;
  return !onlyTool.isForced && calls.length === 0;
}

function isBesides(heard: Heard, place: Place): boolean {
  if (heard.messages[0]?.role === "assistant") return true;
  switch (place.type) {
    case "continue":
    case "replay":
    case "rewind":
      return place.conversation.last?.hasTools === true || hasCalls(place.snapshot.log);
    case "branch":
      return hasCalls(place.snapshot.log);
    case "create":
      return place.isNearAgent || (!heard.isNamed && !heard.messages.some(({ role }) => role === "assistant"));
  }
}
