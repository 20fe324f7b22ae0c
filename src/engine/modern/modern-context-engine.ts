import { demand, demandFunction, demandNumber, demandObject } from "../../core/demand.ts";
import type { LayeredState } from "../../core/layers/layered-state.ts";
import { demandTools } from "../../core/tools/tool-definition.ts";
import { createQueue } from "../session/queue.ts";
import type { Session } from "../session/session.ts";
import type { AuditRecord } from "./audit-log.ts";
import type { ModernContextEngineOptions } from "./modern-options.ts";
import { type Agent, openAgent } from "./open-agent.ts";
import { recoverTask } from "./recover-task.ts";
import { runTask } from "./run-task.ts";
import type { ExecuteOptions, SafeTaskResult, TaskResult } from "./task-result.ts";

/**
 * An agent's loop over a session that never overflows: appends what is said, keeps the view inside the window, tells the model what
 * it should know and what it may call, runs its calls behind policies and limits, and keeps log, state and files in checkpoints.
 */
export class ModernContextEngine {
  readonly #open: () => Promise<Agent>;
  readonly #inTurn = createQueue();
  #agent: Promise<Agent> | undefined;

  constructor(options: ModernContextEngineOptions) {
    demandOptions(options);
    this.#open = () => openAgent(options);
  }

  /**
   * Gives the agent something to do and waits until it is done, or a limit is reached. Rejects where something goes wrong, and
   * where it is aborted; the session is one that can go on all the same.
   */
  executeTask(input: string, options: ExecuteOptions = {}): Promise<TaskResult> {
    demandInput(input, options);
    return this.#inTurn(async () => runTask(await this.#opened(), input, options));
  }

  /** The same, but what can be mended is mended, and what cannot is told: never rejects for trouble with model, tools or store. */
  executeTaskSafely(input: string, options: ExecuteOptions = {}): Promise<SafeTaskResult> {
    demandInput(input, options);
    return this.#inTurn(async () => recoverTask(() => this.#opened(), input, options));
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
    this.#agent ??= this.#open().catch((error: unknown) => {
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
  const { model, executor, tools, contextShare = 0.25, limits = {} } = options;
  demandObject("options.model", model);
  demandFunction("options.model.createMessage", model.createMessage);
  demandObject("options.executor", executor);
  demandFunction("options.executor.execute", executor.execute);
  demandTools(tools);
  demand(contextShare > 0 && contextShare < 1, "options.contextShare", contextShare, "above 0 and below 1");
  demandObject("options.limits", limits);
  for (const [name, value] of Object.entries(limits)) demandNumber(`options.limits.${name}`, value, 1);
}
