/** The tag around tool output in a request: text inside it is data, whatever it says. */
export const DATA_FENCE = "tool_output";

/** The tag around the summary of everything before a request's messages. */
export const EARLIER_FENCE = "earlier_summary";

/** Matches also spellings that a model might take for a fence. */
const FENCE = new RegExp(`<(?=[\\s/]{0,8}(?:${DATA_FENCE}|${EARLIER_FENCE}))`, "gi");

/** Replaces the bracket of a fence in text that is not ours. */
export const DEFUSED = "‹";

/** Keeps text that is not ours from opening a fence, or ending the one around it. */
export function defuse(text: string): string {
  return text.replace(FENCE, DEFUSED);
}
