import type { LayeredState } from "../../core/layers/layered-state.ts";
import { addObservation } from "../../core/layers/updates/evidence.ts";
import { recordEpisode } from "../../core/layers/updates/memory.ts";
import { addUse, recordFailure, recordStep, resolveFailure } from "../../core/layers/updates/runtime.ts";
import type { Content } from "../../core/message/message.ts";
import { holdsDecision } from "../../core/text/decisions/holds-decision.ts";
import { OWN_TOOLS } from "./own-tools.ts";
import type { FinishedCall } from "./run-calls.ts";

/** The log has the whole; the state tells what it was about. */
const MAX_OBSERVATION_CHARACTERS = 400;
const MAX_DECISION_CHARACTERS = 300;
const OWN_NAMES: ReadonlySet<string> = new Set(OWN_TOOLS.map(({ name }) => name));

/** What the agent decided in a reply, in its own words. */
export function decisionsOf(text: string): readonly string[] {
  return sentencesOf(text)
    .filter(holdsDecision)
    .map((sentence) => sentence.slice(0, MAX_DECISION_CHARACTERS));
}

/** Remembers what the agent decided in its reply. */
export function noteReply(state: LayeredState, text: string, at: number): LayeredState {
  const { modelCalls } = state.l2_runtime.resources;
  return decisionsOf(text).reduce(
    (noted, content, index) =>
      recordEpisode(noted, { type: "decision", id: `decision-${at}-${modelCalls}-${index}`, at, content }),
    state,
  );
}

/** Remembers that a task was done, and what came of it. */
export function noteCompletion(state: LayeredState, text: string, at: number): LayeredState {
  const content = text.slice(0, MAX_DECISION_CHARACTERS);
  if (content === "") return state;
  return recordEpisode(state, { type: "milestone", id: `completed-${at}`, at, content, importance: "high" });
}

function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.!?。！？])\s+|\n+/).map((sentence) => sentence.trim());
}

/** Takes down what the calls of one reply came to; what fails and then works counts as resolved. */
export function noteCalls(state: LayeredState, finished: readonly FinishedCall[], at: number): LayeredState {
  // What was not allowed to run for want of calls has used none.
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
  // Nothing went wrong: someone stopped it.
  if (outcome === "aborted") return stepped;
  if (!isSuccess) return recordFailure(stepped, { id: call.id, at, error: text, toolName: call.name });
  const settled = stepped.l2_runtime.failures
    .filter(({ toolName, isResolved }) => toolName === call.name && !isResolved)
    .reduce((resolved, { id }) => resolveFailure(resolved, id), stepped);
  // What the agent wrote into its own memory is there already.
  if (OWN_NAMES.has(call.name)) return settled;
  return addObservation(settled, { id: call.id, at, source: call.name, content: text });
}

/** How often a tool has failed since it last worked. */
function failuresInARow({ l2_runtime }: LayeredState, toolName: string): number {
  const steps = l2_runtime.history.filter(({ action }) => action === toolName);
  return steps.length - 1 - steps.findLastIndex(({ outcome }) => outcome === "success");
}

/** The words of a content; what has none is named by its type. */
export function contentText(content: Content): string {
  if (typeof content === "string") return content;
  return content
    .map((block) => ("text" in block && typeof block.text === "string" ? block.text : `[${block.type}]`))
    .join("\n");
}
