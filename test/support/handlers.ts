import type { Message } from "../../src/core/message/message.ts";
import type { ModelCall, ModelChunk, ModelHandler } from "../../src/core/ports/model-handler.ts";

/** What a scripted model was asked. */
export interface Asked {
  readonly systemPrompt: string;
  readonly messages: readonly Message[];
  readonly call: ModelCall | undefined;
}

export interface ScriptedHandler extends ModelHandler {
  readonly asked: readonly Asked[];
}

export type Behaviour = (asked: Asked) => AsyncIterable<ModelChunk>;

export interface HandlerOptions {
  readonly id?: string;
  readonly contextWindow?: number;
  readonly countTokens?: ModelHandler["countTokens"];
}

/** A model in memory that behaves as told, and remembers what it was asked. */
export function handler(behaviour: Behaviour, { id = "scripted", contextWindow, countTokens }: HandlerOptions = {}) {
  const asked: Asked[] = [];
  const scripted: ScriptedHandler = {
    asked,
    createMessage: (systemPrompt, messages, call) => {
      const request = { systemPrompt, messages, call };
      asked.push(request);
      return behaviour(request);
    },
    getModel: () => ({ id, ...(contextWindow === undefined ? {} : { info: { contextWindow } }) }),
    ...(countTokens === undefined ? {} : { countTokens }),
  };
  return scripted;
}

/** A summary in the six parts that names what it was shown. */
export const GOOD_SUMMARY = [
  "1. Previous conversation: the person asked for a fix of the rotation of keys in src/auth/rotate.ts.",
  "2. Current work: the tests of rotateKeys were being run.",
  "3. Key technical concepts: keys are rotated every 24 hours.",
  "4. Relevant files and code: src/auth/rotate.ts, src/auth/keys.ts.",
  "5. Problem solving: TypeError in rotateKeys was fixed.",
  "6. Pending tasks and next steps: run the tests once more.",
].join("\n");

export function replies(text: string, usage: Partial<Extract<ModelChunk, { type: "usage" }>> = {}): Behaviour {
  return async function* () {
    for (let start = 0; start < text.length; start += 40) yield { type: "text", text: text.slice(start, start + 40) };
    yield { type: "usage", inputTokens: 1_000, outputTokens: 10, totalCost: 0.01, ...usage };
  };
}

export const good: Behaviour = replies(GOOD_SUMMARY);

/** Ways in which models fail. */
export const FAILING = {
  // biome-ignore lint/correctness/useYield: it fails before the first chunk
  throws: async function* () {
    throw new Error("overloaded");
  },
  throwsAtOnce: () => {
    throw new Error("no key");
  },
  repliesNothing: async function* () {},
  repliesBlank: replies("  \n "),
  onlyReasons: async function* () {
    yield { type: "reasoning", text: "Let me think." };
    yield { type: "usage", inputTokens: 10, outputTokens: 10, totalCost: 0.01 };
  },
  diesMidStream: async function* () {
    yield { type: "text", text: "The person asked" };
    throw new Error("socket hang up");
  },
} satisfies Record<string, Behaviour>;

/** Never replies, whatever the signal says. */
export const hangs: Behaviour = () => ({
  [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }),
});

/** Replies with each of these in turn, then with the last one for ever. */
export function inTurn(first: Behaviour, ...others: readonly Behaviour[]): Behaviour {
  const behaviours = [first, ...others];
  let next = 0;
  return (asked) => (behaviours[Math.min(next++, others.length)] ?? first)(asked);
}

/** A value under a type that it does not have: what other people's code hands over all the same. */
export function unchecked<Value>(value: unknown): Value {
  return { ...JSON.parse("{}"), value }.value;
}

/** Streams exactly these chunks, whatever they are. */
export function streams(...chunks: readonly unknown[]): Behaviour {
  return async function* () {
    for (const chunk of chunks) yield unchecked<ModelChunk>(chunk);
  };
}

/** A reply with a scratchpad and a whole snapshot. */
export const GOOD_SNAPSHOT = `<scratchpad>
The notes that nobody else may see.
</scratchpad>
<state_snapshot>
<overall_goal>
Fix the rotation of keys in src/auth/rotate.ts.
</overall_goal>
<key_knowledge>
Keys are rotated every 24 hours. The project runs on Node 24.
</key_knowledge>
<file_system_state>
CWD: /srv/app
READ: src/auth/keys.ts
MODIFIED: src/auth/rotate.ts
</file_system_state>
<recent_actions>
The tests of rotateKeys were run; TypeError in rotateKeys was fixed.
</recent_actions>
<current_plan>
1. [DONE] Find the fault.
2. [IN PROGRESS] Run the tests once more.
3. [TODO] Write the change log.
</current_plan>
</state_snapshot>`;
