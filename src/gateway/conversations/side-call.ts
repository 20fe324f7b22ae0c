import type { Heard } from "./heard.ts";
import type { Place } from "./place.ts";
import { hasCalls } from "./telling.ts";

/**
 * Titles, checks and summaries that agents ask for on the side: they bring no tools, and are no part of the conversation. Checks may
 * show the middle of one.
 */
export function isSideCall(heard: Heard, place: Place): boolean {
  if (heard.isCompaction) return true;
  if (heard.request.tools.length > 0) return false;
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
