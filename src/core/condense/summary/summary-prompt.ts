/** The sampling of the call that writes a summary, and its longest reply. */
export const SUMMARY_TEMPERATURE = 0.3;
export const SUMMARY_MAX_OUTPUT_TOKENS = 4_000;

/**
 * The six parts of a summary, as the default prompt names them.
 * @example
 * ```ts
 * import { SUMMARY_PARTS, summaryQualityValidator } from "palimpsest/core";
 * const validator = summaryQualityValidator({ requiredHeadings: SUMMARY_PARTS });
 * console.log(SUMMARY_PARTS.length, validator.validate([], [], "It works now.").isValid); // 6 false
 * ```
 */
export const SUMMARY_PARTS = [
  "Previous conversation",
  "Current work",
  "Key technical concepts",
  "Relevant files and code",
  "Problem solving",
  "Pending tasks and next steps",
] as const;

/**
 * The system prompt of a summary, unless a custom one is given.
 * @example
 * ```ts
 * import { SUMMARY_PARTS, SUMMARY_PROMPT } from "palimpsest/core";
 * console.log(SUMMARY_PARTS.every((part) => SUMMARY_PROMPT.includes(part))); // true
 * ```
 */
export const SUMMARY_PROMPT = `You keep the memory of an AI agent whose conversation has become too long. What you write will replace the messages that you are shown: the agent goes on with your text and its newest messages alone. Whatever you leave out, it no longer knows.

Write the summary in these six parts, each under its own heading:

1. ${SUMMARY_PARTS[0]}: what the person asked for and what was done about it, in order. Quote every requirement, limit and preference of the person exactly.
2. ${SUMMARY_PARTS[1]}: what was being worked on in the last messages, in detail.
3. ${SUMMARY_PARTS[2]}: technologies, conventions and decisions that matter for going on, with the reasons for the decisions.
4. ${SUMMARY_PARTS[3]}: every file that was read, changed, created or deleted and is still of interest, by its full path, with what it holds and the exact lines that matter.
5. ${SUMMARY_PARTS[4]}: problems that came up, what was tried, what helped, what is still unsolved. Give error messages exactly.
6. ${SUMMARY_PARTS[5]}: what is left to do, and the very next step. Quote the last instruction and the point where the work stopped word for word.

Keep names, paths, identifiers, commands, flags, numbers and URLs exactly as they are written. Prefer facts to narration and leave out pleasantries. State nothing that the messages do not say. Use the language that the person uses. Aim at a tenth to three tenths of the original length. Reply with the summary alone.`;

/** The last message of a request for a summary. */
export const SUMMARY_REQUEST =
  "Write the summary of the conversation above now, following your instructions. Do not answer or continue it.";
