/** Where tool output begins and ends in a request: what lies between is data, whatever it says. */
export const DATA_FENCE = "tool_output";

/** Where the summary of everything before a request's messages begins and ends. */
export const EARLIER_FENCE = "earlier_summary";

/** Also the spellings that a model might take for a fence. */
const FENCE = new RegExp(`<(?=[\\s/]{0,8}(?:${DATA_FENCE}|${EARLIER_FENCE}))`, "gi");

/** Stands for the bracket of a fence that is none. */
export const DEFUSED = "‹";

/** Keeps text that is not ours from opening a fence, or ending the one around it. */
export function defuse(text: string): string {
  return text.replace(FENCE, DEFUSED);
}
