import { assert, assertArray, assertFunction, assertNumber, assertObject } from "../../core/assert.ts";
import { assertContextFormat } from "../../core/layers/context/context-builder.ts";
import type { LayeredState } from "../../core/layers/layered-state.ts";
import { createInitialState } from "../../core/layers/state/initial-state.ts";
import { assertTools } from "../../core/tools/tool-definition.ts";
import { assertHandler } from "../model/handler-model.ts";
import { createQueue } from "../queue.ts";
import type { Session } from "../session/session.ts";
import { DEFAULT_CONTEXT_SHARE } from "./agent-window.ts";
import type { AuditRecord } from "./audit-log.ts";
import type { LoopLimits, ModernContextEngineOptions, PolicyCheck } from "./modern-options.ts";
import { type Agent, openAgent } from "./open-agent.ts";
import { OWN_TOOLS } from "./own-tools.ts";
import { recoverTask } from "./recover-task.ts";
import { createTaskRun } from "./run-task.ts";
import type { ExecuteOptions, SafeTaskResult, TaskResult } from "./task-result.ts";

/**
 * An agent's loop over a session that never overflows its window: it appends messages, prepares each request with the layered context and the tools of
 * the phase, runs the model's calls behind policies and limits, and saves log, state and files in checkpoints.
 * @example
 * ```ts
 * import { ModernContextEngine } from "palimpsest/agent";
 * const model = {
 *   getModel: () => ({ id: "claude-haiku-4-5" }),
 *   async *createMessage() { yield { type: "text", text: "It blinks once now." } as const; },
 * };
 * const agent = new ModernContextEngine({ model, task: "Make the light blink once.", tools: [], executor: { execute: async () => "" } });
 * console.log((await agent.executeTask("Begin.")).text); // It blinks once now.
 * ```
 */
export class ModernContextEngine {
  readonly #options: ModernContextEngineOptions;
  readonly #enqueue = createQueue();
  #agent: Promise<Agent> | undefined;

  constructor(options: ModernContextEngineOptions) {
    assertOptions(options);
    this.#options = options;
  }

  /**
   * Runs a task and resolves when it is done or a limit is reached. Rejects on errors and when aborted; the session can be continued in any case.
   */
  executeTask(input: string, options: ExecuteOptions = {}): Promise<TaskResult> {
    assertInput(input, options);
    return this.#enqueue(async () => createTaskRun(await this.#opened(), input, options).proceed());
  }

  /** Runs a task and recovers from errors where possible. Never rejects: an error of model, tools or store that remains is in the result. */
  executeTaskSafely(input: string, options: ExecuteOptions = {}): Promise<SafeTaskResult> {
    assertInput(input, options);
    const ports = { open: () => this.#opened(), sleep: this.#options.sleep };
    return this.#enqueue(() => recoverTask(ports, input, options));
  }

  /** The agent's layered state now. */
  async state(): Promise<LayeredState> {
    return (await this.#opened()).state();
  }

  /** The agent's session, for reading, rewinding, restoring or recalling. */
  async session(): Promise<Session> {
    return (await this.#opened()).session;
  }

  /** The agent's actions and those that were refused, oldest first. */
  async audit(): Promise<readonly AuditRecord[]> {
    return (await this.#opened()).audit.records();
  }

  #opened(): Promise<Agent> {
    this.#agent ??= openAgent(this.#options).catch((error: unknown) => {
      // After a failure, the next call opens the agent again.
      this.#agent = undefined;
      throw error;
    });
    return this.#agent;
  }
}

function assertInput(input: string, options: ExecuteOptions): void {
  assert(typeof input === "string" && input.trim() !== "", "input", input, "a text that is not blank");
  assertObject("options", options);
}

/** The limits that may be 0; with any other limit at 0, nothing would run. */
const MAY_BE_ZERO: ReadonlySet<string> = new Set<keyof LoopLimits>(["maxCriteriaRounds", "maxOutputRetries"]);

function assertOptions(options: ModernContextEngineOptions): void {
  assertObject("options", options);
  const { model, executor, tools, contextShare = DEFAULT_CONTEXT_SHARE, limits = {}, sessionId = "task" } = options;
  assertHandler("options.model", model);
  assertObject("options.executor", executor);
  assertFunction("options.executor.execute", executor.execute);
  assertTools(tools);
  // Again with the engine's own tools, whose names are taken.
  assertTools([...OWN_TOOLS, ...tools]);
  createInitialState(options.task, options.initialState);
  const isShare = typeof contextShare === "number" && contextShare > 0 && contextShare < 1;
  assert(isShare, "options.contextShare", contextShare, "above 0 and below 1");
  if (options.contextFormat !== undefined) assertContextFormat("options.contextFormat", options.contextFormat);
  assert(typeof sessionId === "string" && sessionId !== "", "options.sessionId", sessionId, "a string, not empty");
  assertObject("options.limits", limits);
  for (const [name, value] of Object.entries(limits)) {
    assertNumber(`options.limits.${name}`, value, MAY_BE_ZERO.has(name) ? 0 : 1);
  }
  for (const name of ["approve", "onAudit", "now", "sleep", "similarity"] as const) {
    if (options[name] !== undefined) assertFunction(`options.${name}`, options[name]);
  }
  assertChecks(options.policyChecks ?? []);
}

function assertChecks(checks: readonly PolicyCheck[]): void {
  assertArray("options.policyChecks", checks);
  for (const [index, each] of checks.entries()) {
    assertObject(`options.policyChecks[${index}]`, each);
    assertFunction(`options.policyChecks[${index}].check`, each.check);
  }
}
