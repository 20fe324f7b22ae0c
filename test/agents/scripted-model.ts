import type { ModelRequest, ScriptedReply } from "../../src/testing/index.ts";
import type { Agent, FaultName } from "./agent.ts";
import { isWorking, type ScriptedStep, stepCalls } from "./step-calls.ts";

/** What the model has an agent do, which is known by its key. */
export interface ScriptedTask {
  /** One call each, in order; then the model says that it is done. */
  readonly commands: readonly ScriptedStep[];
  /** Says what to do next, by what was done until then, in place of `commands`; nothing at all is the end. */
  readonly next?: ((request: ModelRequest) => readonly ScriptedStep[]) | undefined;
  /** What it says with each reply that calls a tool. @default nothing */
  readonly remark?: (() => string) | undefined;
  /** How many calls a reply makes. @default 1 */
  readonly callsAtOnce?: number | undefined;
  /** What goes wrong once, before this step is answered. */
  readonly fault?: { readonly atStep: number; readonly name: FaultName } | undefined;
  /** What a sub-agent does, which is started before anything else. */
  readonly delegated?: Delegated | undefined;
}

export interface Delegated extends NonNullable<Agent["delegates"]> {
  readonly commands: readonly string[];
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

/** How agents word it when they want their own history summarised; some offer their tools all the same. */
const SUMMARY_WORDINGS = [
  "TEXT ONLY",
  "CHECKPOINT COMPACTION",
  "produce the <state_snapshot>",
  "create a detailed summary",
  "provide a concise summary of our conversation",
  "Summarize this session for continuation",
  "Create a structured context checkpoint summary",
];
export const SUMMARY_REQUEST = new RegExp(SUMMARY_WORDINGS.join("|"));
export const SUMMARY_REPLY: ScriptedReply = {
  type: "text",
  text: [
    "<analysis>Notes were read.</analysis>",
    "<summary>Some notes were read; go on with the next one.</summary>",
    "<state_snapshot><overall_goal>Read all notes.</overall_goal></state_snapshot>",
  ].join("\n"),
};

/** What a sub-agent is told; only its own requests hold it without the call that started it. */
export const DELEGATED_PROMPT = "Subtask seven: read the note that you are told to read.";

interface Progress {
  readonly task: ScriptedTask;
  step: number;
  isFaultDue: boolean;
}

/** A model that works through tasks. Only the order of requests counts: one that was folded does not hold every step. */
export function scriptedModel(): ScriptedModel {
  const tasks = new Map<string, Progress>();
  let calls = 0;

  const nextCallId = () => {
    calls += 1;
    return `call_${calls}_${Date.now().toString(36)}`;
  };

  function proceed(progress: Progress, request: ModelRequest): ScriptedReply {
    const { task, step } = progress;
    if (progress.isFaultDue && step === task.fault?.atStep) {
      progress.isFaultDue = false;
      return faultOf(task.fault.name);
    }
    const steps = task.next?.(request) ?? task.commands.slice(step, step + (task.callsAtOnce ?? 1));
    const offered = steps.flatMap((each) => stepCalls(request, each));
    if (offered.length === 0) return { type: "text", text: FINAL_TEXT };
    progress.step += offered.length;
    const calls = offered.map((call) => ({ id: nextCallId(), ...call }));
    return { type: "tool-calls", calls, ...(task.remark === undefined ? {} : { text: task.remark() }) };
  }

  return {
    give: (apiKey, task) => {
      tasks.set(apiKey, { task, step: 0, isFaultDue: task.fault !== undefined });
    },
    reply(request) {
      const apiKey = keyOf(request);
      const progress = tasks.get(apiKey);
      if (progress === undefined || !isWorking(request)) return SIDE_REPLY;
      if (asksForSummary(request)) return SUMMARY_REPLY;
      const { delegated } = progress.task;
      if (delegated === undefined) return proceed(progress, request);
      const callId = `delegation_${apiKey}`;
      const subKey = `${apiKey} sub-agent`;
      const input = { ...delegated.input, prompt: DELEGATED_PROMPT };
      // Old models of Gemini give no ids: there the call is known by what it says.
      const isDelegator = [callId, JSON.stringify(input)].some((sign) => request.rawBody.includes(sign));
      const isSub = request.rawBody.includes(DELEGATED_PROMPT) && !isDelegator;
      const subProgress = tasks.get(subKey);
      if (subProgress !== undefined) return proceed(isSub ? subProgress : progress, request);
      tasks.set(subKey, { task: { commands: delegated.commands }, step: 0, isFaultDue: false });
      return { type: "tool-calls", calls: [{ id: callId, name: delegated.tool, input }] };
    },
  };
}

/** Whether an agent wants its own history summarised, by what it was asked last: a system message may come after it. */
export function asksForSummary({ body }: ModelRequest): boolean {
  const said = [body.messages, body.input, body.contents].find(Array.isArray) ?? [];
  return SUMMARY_REQUEST.test(JSON.stringify(said.slice(-2)));
}

function faultOf(name: FaultName): ScriptedReply {
  return name === "cut" ? { type: "cut", text: "I will now" } : { type: "error", status: Number(name) };
}

function keyOf({ headers }: ModelRequest): string {
  const key = headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers.authorization ?? "";
  return String(key).replace(/^Bearer /, "");
}
