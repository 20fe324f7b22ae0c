/** What a tool does, as far as the ledger cares. */
export type ToolKind =
  /** Shows a file. */
  | "read"
  /** Writes a whole file. */
  | "write"
  /** Replaces a part of a file. */
  | "edit"
  | "delete"
  /** Runs a command; what it did to files is read from the command. */
  | "run"
  /** States the whole plan anew. */
  | "plan"
  /** Changes one step of a plan. */
  | "plan-step"
  | "other";

/** What is known about one tool: what it does, and which of its arguments say what, at any depth. */
export interface ToolRule {
  readonly kind: ToolKind;
  readonly path?: readonly string[];
  readonly command?: readonly string[];
  /** What an edit expects to find. */
  readonly oldText?: readonly string[];
  /** What a file holds afterwards. */
  readonly newText?: readonly string[];
  /** Texts that hold patches: of apply_patch, or SEARCH and REPLACE blocks. */
  readonly patch?: readonly string[];
}

/** A tool that does several things, told by one of its arguments. */
export interface ToolSwitch {
  readonly argument: string;
  readonly rules: Readonly<Record<string, ToolRule>>;
}

/** The tools of one family of agents, by name. */
export type ToolTable = Readonly<Record<string, ToolRule | ToolSwitch>>;
