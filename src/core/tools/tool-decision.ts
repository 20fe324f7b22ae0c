import type { NarrowedParameter } from "./narrowing/narrow-tool.ts";

/** Why a tool is not shown. */
export type HidingCause =
  | "phase"
  | "permission"
  /** In production, a parameter that no allow-list can be put on. */
  | "environment"
  /** More than the definitions may take, after those with a higher priority. */
  | "budget"
  /** Not among the few that are shown under high urgency. */
  | "urgency"
  /** A schema too large or too deep to be sent. */
  | "schema";

/** What was decided about one tool: an audit record, plain data. `reason` is a sentence for people. */
export type ToolDecision =
  | { readonly type: "kept"; readonly toolName: string; readonly tokens: number; readonly reason: string }
  | {
      readonly type: "narrowed";
      readonly toolName: string;
      readonly tokens: number;
      readonly parameters: readonly NarrowedParameter[];
      readonly reason: string;
    }
  | { readonly type: "hidden"; readonly toolName: string; readonly cause: HidingCause; readonly reason: string };
