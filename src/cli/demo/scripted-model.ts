import { SUMMARY_PARTS } from "../../core/condense/summary/summary-prompt.ts";
import type { Message } from "../../core/message/message.ts";
import type { ModelChunk, ModelHandler } from "../../core/ports/model-handler.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { countTextTokens } from "../../core/tokens/o200k/count-text-tokens.ts";
import { keepNotes, takeNotes, textsOf } from "./notes.ts";

const NOTHING_ASKED = { calls: 0, readTokens: 0, writtenTokens: 0 };

/** A scripted model handler; `used` returns the number of requests and tokens so far. */
export type ScriptedModel = ModelHandler & { used(): Readonly<typeof NOTHING_ASKED> };

/**
 * A condensing model for demonstrations: no network, no randomness. Fixed rules pick notes out of each request; its reply has the form that the
 * system prompt asks for, and includes the notes of an earlier summary.
 */
export function scriptedModel({
  contextWindow,
  maxTokens,
}: Readonly<Record<"contextWindow" | "maxTokens", number>>): ScriptedModel {
  let use = NOTHING_ASKED;
  return {
    getModel: () => ({ id: "scripted", info: { contextWindow, maxTokens, supportsImages: false } }),
    used: () => use,
    createMessage: async function* (systemPrompt, messages, call): AsyncGenerator<ModelChunk> {
      const text = reply(systemPrompt, messages, Math.min(maxTokens, call?.maxOutputTokens ?? maxTokens));
      const inputTokens = countTextTokens(systemPrompt) + countMessagesTokens(messages);
      const outputTokens = countTextTokens(text);
      const { calls, readTokens, writtenTokens } = use;
      use = { calls: calls + 1, readTokens: readTokens + inputTokens, writtenTokens: writtenTokens + outputTokens };
      yield { type: "text", text };
      yield { type: "usage", inputTokens, outputTokens, totalCost: 0 };
    },
  };
}

/** The shares of each kind of notes that are tried in turn, until the reply is short enough. */
const NEXT_SHARE = 0.8;
const LEAST_SHARE = 0.01;

function reply(systemPrompt: string, messages: readonly Message[], maxTokens: number): string {
  const notes = takeNotes(messages);
  const write = systemPrompt.includes("<state_snapshot>") ? snapshotOf : summaryOf;
  let text = write(keepNotes(notes, 1));
  for (let share = NEXT_SHARE; countTextTokens(text) > maxTokens && share > LEAST_SHARE; share *= NEXT_SHARE) {
    text = write(keepNotes(notes, share));
  }
  return text;
}

function linesOf(notes: readonly string[], labels: string): string {
  const lines = labels.split(" ").flatMap((label) => textsOf(notes, label).map((text) => `- ${label}: ${text}`));
  return lines.join("\n") || "- none";
}

/** The notes that belong to each of the six parts of a summary. */
const SUMMARY_LABELS = ["Goal Person", "Said", "Decided", "File", "Error Ran", "Stopped"];

function summaryOf(notes: readonly string[]): string {
  const parts = SUMMARY_PARTS.map(
    (part, index) => `${index + 1}. ${part}\n${linesOf(notes, SUMMARY_LABELS[index] ?? "")}`,
  );
  return `${parts.join("\n\n")}\n${lastInstruction(notes)}`;
}

/** The notes as a scratchpad and a state snapshot. */
function snapshotOf(notes: readonly string[]): string {
  const newest = (label: string) => textsOf(notes, label).at(-1) ?? "nothing";
  return `<scratchpad>${notes.length} notes were taken.</scratchpad>
<state_snapshot>
<overall_goal>\n${linesOf(notes, "Goal")}\n</overall_goal>
<key_knowledge>\n${linesOf(notes, "Person Decided")}\n</key_knowledge>
<file_system_state>\n${linesOf(notes, "File")}\n</file_system_state>
<recent_actions>\n${linesOf(notes, "Ran Error Said")}\n</recent_actions>
<current_plan>
1. [DONE] ${newest("Ran")}
2. [IN PROGRESS] ${newest("Stopped")}
3. [TODO] ${lastInstruction(notes)}
</current_plan>
</state_snapshot>`;
}

function lastInstruction(notes: readonly string[]): string {
  return `The last words of the person were ${textsOf(notes, "Person").at(-1) ?? "not shown"}`;
}
