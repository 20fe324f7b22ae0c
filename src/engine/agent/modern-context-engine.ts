import { assert, assertArray, assertFunction, assertNumber, assertObject } from "../../core/assert.ts";
import { assertContextFormat } from "../../core/layers/context/context-builder.ts";
import type { LayeredState } from "../../core/layers/layered-state.ts";
import { createInitialState } from "../../core/layers/state/initial-state.ts";
import { assertTools } from "../../core/tools/tool-definition.ts";
import { assertHandler } from "../model/handler-model.ts";
import type { Session } from "../session/session.ts";
import { createQueue } from "../session/session-context.ts";
import { DEFAULT_CONTEXT_SHARE } from "./agent-window.ts";
import type { AuditRecord } from "./audit-log.ts";
import type { LoopLimits, ModernContextEngineOptions, PolicyCheck } from "./modern-options.ts";
import { type Agent, openAgent } from "./open-agent.ts";
import { OWN_TOOLS } from "./own-tools.ts";
import { recoverTask } from "./recover-task.ts";
import { createTaskRun } from "./run-task.ts";
import type { ExecuteOptions, SafeTaskResult, TaskResult } from "./task-result.ts";

/**
 * An agent's loop over a session that never overflows: appends what is said, keeps the view inside the window, tells the model what
 * it should know and what it may call, runs its calls behind policies and limits, and keeps log, state and files in checkpoints.
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
   * Gives the agent something to do and waits until it is done, or a limit is reached. Rejects where something goes wrong, and
   * where it is aborted; the session is one that can go on all the same.
   */
  executeTask(input: string, options: ExecuteOptions = {}): Promise<TaskResult> {
    assertInput(input, options);
    return this.#enqueue(async () => createTaskRun(await this.#opened(), input, options).proceed());
  }

  /** The same, but what can be mended is mended, and what cannot is told: never rejects for trouble with model, tools or store. */
  executeTaskSafely(input: string, options: ExecuteOptions = {}): Promise<SafeTaskResult> {
    assertInput(input, options);
    const ports = { open: () => this.#opened(), sleep: this.#options.sleep };
    return this.#enqueue(() => recoverTask(ports, input, options));
  }

  /** What the agent knows now. */
  async state(): Promise<LayeredState> {
    return (await this.#opened()).state();
  }

  /** The session that the agent talks in: to look at, rewind, restore or recall. */
  async session(): Promise<Session> {
    return (await this.#opened()).session;
  }

  /** What it did and was kept from doing, oldest first. */
  async audit(): Promise<readonly AuditRecord[]> {
    return (await this.#opened()).audit.records();
  }

  #opened(): Promise<Agent> {
    this.#agent ??= openAgent(this.#options).catch((error: unknown) => {
      // What could not be opened may be tried again.
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

/** Limits that may say "never"; without any of the others nothing would run. */
const MAY_BE_ZERO: ReadonlySet<string> = new Set<keyof LoopLimits>(["maxCriteriaRounds", "maxOutputRetries"]);

function assertOptions(options: ModernContextEngineOptions): void {
  assertObject("options", options);
  const { model, executor, tools, contextShare = DEFAULT_CONTEXT_SHARE, limits = {}, sessionId = "task" } = options;
  assertHandler("options.model", model);
  assertObject("options.executor", executor);
  assertFunction("options.executor.execute", executor.execute);
  assertTools(tools);
  // The engine's own names are taken.
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
