import type { LayeredState } from "../../core/layers/layered-state.ts";
import { addObservation } from "../../core/layers/updates/evidence.ts";
import { recordEpisode } from "../../core/layers/updates/memory.ts";
import { addUse, recordFailure, recordStep, resolveFailure } from "../../core/layers/updates/runtime.ts";
import type { Content } from "../../core/message/message.ts";
import { holdsDecision } from "../../core/text/decisions/holds-decision.ts";
import { OWN_TOOLS } from "./own-tools.ts";
import type { FinishedCall } from "./run-calls.ts";

/** The longest texts in the state. The log has the whole texts. */
const MAX_OBSERVATION_CHARACTERS = 400;
const MAX_DECISION_CHARACTERS = 300;
const OWN_NAMES: ReadonlySet<string> = new Set(OWN_TOOLS.map(({ name }) => name));

/** The sentences of a reply that state a decision. */
export function decisionsOf(text: string): readonly string[] {
  return sentencesOf(text)
    .filter(holdsDecision)
    .map((sentence) => sentence.slice(0, MAX_DECISION_CHARACTERS));
}

/** Adds the decisions in a reply to the state. */
export function noteReply(state: LayeredState, text: string, at: number): LayeredState {
  const { modelCalls } = state.l2_runtime.resources;
  return decisionsOf(text).reduce(
    (noted, content, index) =>
      recordEpisode(noted, { type: "decision", id: `decision-${at}-${modelCalls}-${index}`, at, content }),
    state,
  );
}

/** Adds a milestone for a completed task, with the text of its last reply. */
export function noteCompletion(state: LayeredState, text: string, at: number): LayeredState {
  const content = text.slice(0, MAX_DECISION_CHARACTERS);
  if (content === "") return state;
  return recordEpisode(state, { type: "milestone", id: `completed-${at}`, at, content, importance: "high" });
}

function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?。！？])\s+|\n+/).map((sentence) => sentence.trim());
}

/** Adds the results of one reply's calls to the state. When a tool succeeds, its earlier failures count as resolved. */
export function noteCalls(state: LayeredState, finished: readonly FinishedCall[], at: number): LayeredState {
  // Calls beyond the limit did not run.
  const toolCalls = finished.filter(({ outcome }) => outcome !== "over-limit").length;
  return finished.reduce((noted, call) => noteCall(noted, call, at), addUse(state, { toolCalls }));
}

function noteCall(state: LayeredState, finished: FinishedCall, at: number): LayeredState {
  const { call, result, outcome, durationMs, warnings } = finished;
  const isSuccess = outcome === "success";
  const output = contentText(result.content ?? "");
  const stepped = recordStep(state, {
    ...{ at, action: call.name, outcome: isSuccess ? "success" : "failure", durationMs },
    inputCharacters: JSON.stringify(call.input ?? {}).length,
    outputCharacters: output.length,
    ...(warnings.length === 0 ? {} : { warnings }),
    retries: failuresInARow(state, call.name),
  });
  const text = output.slice(0, MAX_OBSERVATION_CHARACTERS);
  // An aborted call is no failure.
  if (outcome === "aborted") return stepped;
  if (!isSuccess) return recordFailure(stepped, { id: call.id, at, error: text, toolName: call.name });
  const settled = stepped.l2_runtime.failures
    .filter(({ toolName, isResolved }) => toolName === call.name && !isResolved)
    .reduce((resolved, { id }) => resolveFailure(resolved, id), stepped);
  // The engine's own tools have changed the state themselves.
  if (OWN_NAMES.has(call.name)) return settled;
  return addObservation(settled, { id: call.id, at, source: call.name, content: text });
}

/** How often a tool has failed since its last success, not counting the newest call. */
function failuresInARow({ l2_runtime }: LayeredState, toolName: string): number {
  const steps = l2_runtime.history.filter(({ action }) => action === toolName);
  return steps.length - 1 - steps.findLastIndex(({ outcome }) => outcome === "success");
}

/** The text of a content; a block without text is shown as its type. */
export function contentText(content: Content): string {
  if (typeof content === "string") return content;
  return content
    .map((block) => ("text" in block && typeof block.text === "string" ? block.text : `[${block.type}]`))
    .join("\n");
}
