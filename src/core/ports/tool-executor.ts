import type { Content } from "../message/message.ts";

/** A tool call of a model, with arguments that were checked against the tool's schema. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Runs the tools of an agent. */
export interface ToolExecutor {
  /**
   * Runs the tool and returns its output. An exception is reported to the model as an error result. `signal` is aborted when the output is
   * not needed any more: the tool should then stop.
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
