import type { ModelRequest, ScriptedReply } from "../../src/testing/index.ts";
import type { FaultName } from "./agent.ts";
import { shellCall } from "./shell-call.ts";

/** What the model has an agent do, which is known by its key. */
export interface ScriptedTask {
  /** One call each, one after the other; then the model says that it is done. */
  readonly commands: readonly string[];
  /** What goes wrong once, before this step is answered. */
  readonly fault?: { readonly atStep: number; readonly name: FaultName } | undefined;
}

export interface ScriptedModel {
  reply(request: ModelRequest): ScriptedReply;
  /** From now on; what the key did before is forgotten. */
  give(apiKey: string, task: ScriptedTask): void;
}

export const FINAL_TEXT = "All notes are read.";

/** Titles and checks are side calls: they offer no tools, and some want JSON. */
const SIDE_REPLY: ScriptedReply = {
  type: "text",
  text: JSON.stringify({
    title: "Reads notes",
    unproductive_state_analysis: "Each call reads another note.",
    unproductive_state_confidence: 0,
  }),
};

interface Progress {
  readonly task: ScriptedTask;
  step: number;
  isFaultDue: boolean;
}

/** A model that works through tasks. Only the order of requests counts: a request that was folded does not hold every step. */
export function scriptedModel(): ScriptedModel {
  const tasks = new Map<string, Progress>();
  let calls = 0;
  return {
    give: (apiKey, task) => tasks.set(apiKey, { task, step: 0, isFaultDue: task.fault !== undefined }),
    reply(request) {
      const progress = tasks.get(keyOf(request));
      if (progress === undefined || shellCall(request, "true") === undefined) return SIDE_REPLY;
      const { task, step } = progress;
      if (progress.isFaultDue && step === task.fault?.atStep) {
        progress.isFaultDue = false;
        return faultOf(task.fault.name);
      }
      const command = task.commands[step];
      const call = command === undefined ? undefined : shellCall(request, command);
      if (call === undefined) return { type: "text", text: FINAL_TEXT };
      progress.step += 1;
      calls += 1;
      return { type: "tool-calls", calls: [{ id: `call_${calls}_${Date.now().toString(36)}`, ...call }] };
    },
  };
}

function faultOf(name: FaultName): ScriptedReply {
  return name === "cut" ? { type: "cut", text: "I will now" } : { type: "error", status: Number(name) };
}

function keyOf({ headers }: ModelRequest): string {
  const key = headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers.authorization ?? "";
  return String(key).replace(/^Bearer /, "");
}
