import type { CountTokens, Message } from "../../message/message.ts";
import type { ViewSize } from "./view-size.ts";

/** The log on its way to fitting. */
export interface Shed {
  readonly messages: readonly Message[];
  /** The folds that were made, in order. */
  readonly foldIds: readonly string[];
}

/** What one step of it is to reach. */
export interface ShedRun {
  readonly measure: keyof ViewSize;
  /** The view must not have more than this. */
  readonly limit: number;
  /** The step ends where the view has no more than this. */
  readonly goal: number;
  readonly countTokens: CountTokens;
  readonly taskId: string;
}
