/** What a tool does, as far as the ledger distinguishes it. */
export type ToolKind =
  /** Shows a file. */
  | "read"
  /** Writes a whole file. */
  | "write"
  /** Replaces a part of a file. */
  | "edit"
  | "delete"
  /** Runs a command; its effects on files are derived from the command. */
  | "run"
  /** Replaces the whole plan. */
  | "plan"
  /** Changes one step of a plan. */
  | "plan-step"
  | "other";

/** What one tool does, and the names of the arguments that say it, at any depth. */
export interface ToolRule {
  readonly kind: ToolKind;
  readonly path?: readonly string[];
  readonly command?: readonly string[];
  /** The text that an edit replaces. */
  readonly oldText?: readonly string[];
  /** The text that the file has afterwards. */
  readonly newText?: readonly string[];
  /** Texts that hold patches: of apply_patch, or SEARCH and REPLACE blocks. */
  readonly patch?: readonly string[];
}

/** A tool with several operations, of which one argument names the one that is meant. */
export interface ToolSwitch {
  readonly argument: string;
  readonly rules: Readonly<Record<string, ToolRule>>;
}

/** The tools of one family of agents, by name. */
export type ToolTable = Readonly<Record<string, ToolRule | ToolSwitch>>;
