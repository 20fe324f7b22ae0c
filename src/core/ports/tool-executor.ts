import type { Content } from "../message/message.ts";

/** What a model asked a tool to do; its arguments have been checked. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Runs the tools of an agent. */
export interface ToolExecutor {
  /**
   * Does what the call asks for and tells what came of it. Whatever it throws is told to the model as an error. `signal` is aborted when
   * nobody waits for it any more: then it should stop.
   */
  execute(call: ToolCall, options: { readonly signal: AbortSignal }): Promise<ToolOutput>;
}

export type ToolOutput =
  | string
  | {
      readonly content: Content;
      /** @default false */
      readonly isError?: boolean;
    };
