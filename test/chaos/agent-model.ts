/** A scripted model for long runs of an agent: it calls, speaks and fails by a seed. */
import type { ModelRequest, ScriptedReply, ScriptedToolCall } from "../../src/testing/index.ts";
import { between, pickWeighted, type Random } from "./random.ts";

const FAULTS = {
  "rate-limit": { type: "error", status: 429, message: "Slow down", retryAfterSeconds: 0 },
  "server-error": { type: "error", status: 500, message: "Internal" },
  cut: { type: "cut", text: "I was about to" },
  garbage: { type: "garbage" },
  empty: { type: "text", text: "" },
  "too-long": { type: "error", status: 400, message: "prompt is too long: 16800 tokens > 16000 maximum" },
  "too-long-unnamed": { type: "error", status: 400, message: "Your input exceeds the context window of this model." },
} as const satisfies Record<string, ScriptedReply>;

type Fault = keyof typeof FAULTS;

const FAULT_WEIGHTS: Readonly<Record<Fault, number>> = {
  ...{ "rate-limit": 4, "server-error": 4, cut: 4, garbage: 2, empty: 2 },
  ...{ "too-long": 2, "too-long-unnamed": 1 },
};

const CALL_WEIGHTS = { read: 8, crash: 1, hang: 1, invented: 1, broken: 1, recall: 1, remember: 1, plan: 1 } as const;

/** One request in so many goes wrong, and no more than a few in a row: a model that is gone for good is another matter. */
const FAULT_SHARE = 0.15;
const MAX_FAULTS_IN_A_ROW = 2;
const MAX_CALLING_STEPS = 4;

export interface AgentModel {
  readonly reply: (request: ModelRequest) => ScriptedReply;
  /** How often each fault was played. */
  readonly faults: ReadonlyMap<string, number>;
}

export function createAgentModel(random: Random): AgentModel {
  const faults = new Map<string, number>();
  let [calls, faultsInARow, stepsLeft] = [0, 0, 2];

  function makeCall(): ScriptedToolCall {
    const id = `call_${++calls}`;
    const kind = pickWeighted(random, CALL_WEIGHTS);
    switch (kind) {
      case "recall":
        return { id, name: "recall", input: { query: `lamp ${between(random, 1, calls)}` } };
      case "remember":
        return { id, name: "remember", input: { fact: `Lamp ${calls % 40} is lit.`, source: "a log" } };
      case "plan":
        return { id, name: "update_plan", input: { steps: [{ description: `Step ${calls % 9}`, status: "done" }] } };
      case "invented":
        return { id, name: "no_such_tool", input: {} };
      case "broken":
        return { id, name: "read_file", input: {}, rawInput: '{"path": "half' };
      default:
        return { id, name: "read_file", input: { path: `${kind}-${calls}.log` } };
    }
  }

  function fail(): ScriptedReply {
    const fault = pickWeighted(random, FAULT_WEIGHTS);
    faults.set(fault, (faults.get(fault) ?? 0) + 1);
    return FAULTS[fault];
  }

  return {
    faults,
    reply: () => {
      const isFault = faultsInARow < MAX_FAULTS_IN_A_ROW && random() < FAULT_SHARE;
      faultsInARow = isFault ? faultsInARow + 1 : 0;
      if (isFault) return fail();
      if (stepsLeft-- > 0) {
        return { type: "tool-calls", calls: Array.from({ length: between(random, 1, 3) }, makeCall) };
      }
      stepsLeft = between(random, 0, MAX_CALLING_STEPS);
      return { type: "text", text: `I decided to leave lamp ${calls} as it is.` };
    },
  };
}
