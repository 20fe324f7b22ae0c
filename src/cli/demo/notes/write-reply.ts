import { SUMMARY_PARTS } from "../../../core/condense/summary/summary-prompt.ts";
import { type Label, type Note, noteLine } from "./note.ts";

/** Which notes belong into which of the six parts of a summary. */
const SUMMARY_LABELS: Readonly<Record<(typeof SUMMARY_PARTS)[number], readonly Label[]>> = {
  "Previous conversation": ["Goal", "Person"],
  "Current work": ["Said"],
  "Key technical concepts": ["Decided"],
  "Relevant files and code": ["READ", "MODIFIED", "CREATED"],
  "Problem solving": ["Error", "Ran"],
  "Pending tasks and next steps": ["Stopped"],
};

/** The notes as a summary in six parts. */
export function writeSummary(notes: readonly Note[]): string {
  const parts = SUMMARY_PARTS.map((part, index) => {
    const next = part === "Pending tasks and next steps" ? [lastInstruction(notes)] : [];
    return `${index + 1}. ${part}\n${[...linesOf(notes, SUMMARY_LABELS[part]), ...next].join("\n") || "- none"}`;
  });
  return parts.join("\n\n");
}

/** The notes as a scratchpad and a state snapshot. */
export function writeSnapshot(notes: readonly Note[]): string {
  const part = (tag: string, lines: readonly string[]) => `<${tag}>\n${lines.join("\n") || "none"}\n</${tag}>`;
  const stopped = notes.findLast(({ label }) => label === "Stopped")?.text ?? "nothing was begun";
  const done = notes.findLast(({ label }) => label === "Ran")?.text ?? "nothing yet";
  return [
    part("scratchpad", [`${notes.length} notes were taken; they go into the parts by their labels.`]),
    "<state_snapshot>",
    part("overall_goal", linesOf(notes, ["Goal"])),
    part("key_knowledge", linesOf(notes, ["Person", "Decided"])),
    part("file_system_state", linesOf(notes, ["READ", "MODIFIED", "CREATED"])),
    part("recent_actions", linesOf(notes, ["Ran", "Error", "Said"])),
    part("current_plan", [`1. [DONE] ${done}`, `2. [IN PROGRESS] ${stopped}`, `3. [TODO] ${lastInstruction(notes)}`]),
    "</state_snapshot>",
  ].join("\n");
}

function linesOf(notes: readonly Note[], labels: readonly Label[]): readonly string[] {
  return labels.flatMap((label) => notes.filter((note) => note.label === label).map(noteLine));
}

function lastInstruction(notes: readonly Note[]): string {
  return `The last words of the person were ${notes.findLast(({ label }) => label === "Person")?.text ?? "not shown"}`;
}
