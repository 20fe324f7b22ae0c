import type { ToolCall, ToolOutput } from "../../src/core/ports/tool-executor.ts";
import type { ToolDefinition } from "../../src/core/tools/tool-definition.ts";
import { ModernContextEngine } from "../../src/engine/agent/modern-context-engine.ts";
import type { ModernContextEngineOptions } from "../../src/engine/agent/modern-options.ts";
import { type Behaviour, handler, inTurn, type ScriptedHandler, streams } from "./handlers.ts";

function objectOf(...names: readonly string[]) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  return { type: "object", properties, required: names };
}

/** The tools of a small coding agent; `deploy` is unlisted: it is shown in every phase. */
export const CODING_TOOLS: readonly ToolDefinition[] = [
  { name: "read_file", description: "Reads a file.", inputSchema: objectOf("path"), permissions: ["read"] },
  { name: "write_file", description: "Writes.", inputSchema: objectOf("path", "content"), permissions: ["write"] },
  { name: "run_command", description: "Runs.", inputSchema: objectOf("command"), permissions: ["execute"] },
  { name: "deploy", description: "Deploys.", inputSchema: objectOf("target"), permissions: ["deploy"] },
];

/** A model's call: its id, its tool, its arguments. */
export type ScriptedCall = readonly [id: string, name: string, input?: unknown];

const USAGE = { type: "usage", inputTokens: 100, outputTokens: 10, totalCost: 0.01 };

/** Calls tools, and says something before it where `text` is not empty. */
export function callsTools(calls: readonly ScriptedCall[], text = ""): Behaviour {
  const chunks = calls.map(([id, name, input = {}]) => ({ type: "tool_use", id, name, input }));
  return streams(...(text === "" ? [] : [{ type: "text", text }]), ...chunks, USAGE);
}

export function says(text: string): Behaviour {
  return streams({ type: "text", text }, USAGE);
}

export function fails(error: unknown): Behaviour {
  return () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) });
}

/** A call that reads a file: the plainest step that an agent makes. */
export function reads(id: string, path = `${id}.ts`): Behaviour {
  return callsTools([[id, "read_file", { path }]]);
}

export interface TestClock {
  now(): number;
  advance(ms: number): void;
}

export function testClock(start = 1_000_000): TestClock {
  let at = start;
  return {
    now: () => at,
    advance: (ms) => {
      at += ms;
    },
  };
}

export type Execute = (call: ToolCall, signal: AbortSignal) => ToolOutput | Promise<ToolOutput>;

export interface TestAgent {
  readonly engine: ModernContextEngine;
  readonly model: ScriptedHandler;
  readonly executed: readonly ToolCall[];
  /** How long was waited between tries. */
  readonly waits: readonly number[];
  readonly clock: TestClock;
}

export interface TestAgentOptions extends Omit<Partial<ModernContextEngineOptions>, "model" | "executor" | "now"> {
  readonly execute?: Execute;
  readonly clock?: TestClock;
}

/** An agent whose model replies with each behaviour in turn, then with "Done." for ever. Nothing takes time. */
export function testAgent(script: readonly Behaviour[], options: TestAgentOptions = {}): TestAgent {
  const { execute = ({ name }) => `output of ${name}`, clock = testClock(), ...rest } = options;
  const [first = says("Done."), ...others] = script;
  const model = handler(inTurn(first, ...others, says("Done.")));
  const executed: ToolCall[] = [];
  const waits: number[] = [];
  const engine = new ModernContextEngine({
    task: "Fix the rotation of keys in src/auth/rotate.ts.",
    tools: CODING_TOOLS,
    sleep: async (ms) => {
      waits.push(ms);
    },
    ...rest,
    model,
    now: clock.now,
    executor: {
      execute: async (call, { signal }) => {
        executed.push(call);
        return execute(call, signal);
      },
    },
  });
  return { engine, model, executed, waits, clock };
}

/** The results that the model was told, in order. */
export async function toldResults(engine: ModernContextEngine): Promise<readonly string[]> {
  const log = await (await engine.session()).log();
  return log.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((block) =>
          block.type === "tool_result" && "content" in block
            ? [`${"is_error" in block ? "! " : ""}${String(block.content)}`]
            : [],
        ),
  );
}
