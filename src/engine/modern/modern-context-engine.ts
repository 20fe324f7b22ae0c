import { demand, demandArray, demandFunction, demandNumber, demandObject } from "../../core/demand.ts";
import type { LayeredState } from "../../core/layers/layered-state.ts";
import { createInitialState } from "../../core/layers/state/initial-state.ts";
import { demandTools } from "../../core/tools/tool-definition.ts";
import { demandHandler } from "../model/handler-model.ts";
import { createQueue } from "../session/queue.ts";
import type { Session } from "../session/session.ts";
import { DEFAULT_CONTEXT_SHARE } from "./agent-window.ts";
import type { AuditRecord } from "./audit-log.ts";
import type { ModernContextEngineOptions, PolicyCheck } from "./modern-options.ts";
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
  readonly #inTurn = createQueue();
  #agent: Promise<Agent> | undefined;

  constructor(options: ModernContextEngineOptions) {
    demandOptions(options);
    this.#options = options;
  }

  /**
   * Gives the agent something to do and waits until it is done, or a limit is reached. Rejects where something goes wrong, and
   * where it is aborted; the session is one that can go on all the same.
   */
  executeTask(input: string, options: ExecuteOptions = {}): Promise<TaskResult> {
    demandInput(input, options);
    return this.#inTurn(async () => createTaskRun(await this.#opened(), input, options).proceed());
  }

  /** The same, but what can be mended is mended, and what cannot is told: never rejects for trouble with model, tools or store. */
  executeTaskSafely(input: string, options: ExecuteOptions = {}): Promise<SafeTaskResult> {
    demandInput(input, options);
    const ports = { open: () => this.#opened(), sleep: this.#options.sleep };
    return this.#inTurn(() => recoverTask(ports, input, options));
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

function demandInput(input: string, options: ExecuteOptions): void {
  demand(typeof input === "string" && input.trim() !== "", "input", input, "a text that is not blank");
  demandObject("options", options);
}

function demandOptions(options: ModernContextEngineOptions): void {
  demandObject("options", options);
  const { model, executor, tools, contextShare = DEFAULT_CONTEXT_SHARE, limits = {}, sessionId = "task" } = options;
  demandHandler("options.model", model);
  demandObject("options.executor", executor);
  demandFunction("options.executor.execute", executor.execute);
  demandTools(tools);
  // The engine's own names are taken.
  demandTools([...OWN_TOOLS, ...tools]);
  createInitialState(options.task, options.initialState);
  const isShare = typeof contextShare === "number" && contextShare > 0 && contextShare < 1;
  demand(isShare, "options.contextShare", contextShare, "above 0 and below 1");
  demand(typeof sessionId === "string" && sessionId !== "", "options.sessionId", sessionId, "a string, not empty");
  demandObject("options.limits", limits);
  for (const [name, value] of Object.entries(limits)) demandNumber(`options.limits.${name}`, value, 1);
  for (const name of ["approve", "onAudit", "now", "sleep", "similarity"] as const) {
    if (options[name] !== undefined) demandFunction(`options.${name}`, options[name]);
  }
  demandChecks(options.policyChecks ?? []);
}

function demandChecks(checks: readonly PolicyCheck[]): void {
  demandArray("options.policyChecks", checks);
  for (const [index, each] of checks.entries()) {
    demandObject(`options.policyChecks[${index}]`, each);
    demandFunction(`options.policyChecks[${index}].check`, each.check);
  }
}
