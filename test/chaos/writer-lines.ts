/** What a writer and the test that started it tell each other. */

export type StorePlace =
  | { readonly type: "sqlite"; readonly path: string }
  | { readonly type: "postgres"; readonly connectionString: string; readonly schema: string };

export type OperationName = "append" | "prepare" | "condense" | "update" | "rewind" | "undo" | "checkpoint" | "look";

/** How often a writer does what in a session. */
export interface SessionTask {
  readonly id: string;
  readonly weights: Readonly<Partial<Record<OperationName, number>>>;
}

export interface WriterTask {
  /** No two writers have the same one. */
  readonly name: string;
  readonly seed: number;
  readonly place: StorePlace;
  readonly sessions: readonly SessionTask[];
  /** Nobody else works on its sessions: the locks that it finds are those of the dead. */
  readonly isAlone: boolean;
  /** @default until it is told to stop, or killed */
  readonly durationMs?: number;
}

/** A line on the writer's standard output: what it is about to do, and what came of it, said when the promise has resolved. */
export type WriterLine =
  | { readonly type: "ready" }
  | {
      readonly type: "began";
      readonly session: string;
      readonly operation: OperationName | "open";
      readonly turn?: number;
    }
  | { readonly type: "opened"; readonly session: string }
  | { readonly type: "appended"; readonly session: string; readonly turn: number }
  /** How many messages the view has, and their hash. */
  | { readonly type: "prepared"; readonly session: string; readonly messages: number; readonly hash: string }
  | { readonly type: "condensed"; readonly session: string; readonly error?: string }
  | { readonly type: "updated"; readonly session: string; readonly count: number }
  | {
      readonly type: "rewound";
      readonly session: string;
      readonly version: number;
      readonly toVersion: number;
      readonly isUndo: boolean;
    }
  | { readonly type: "checkpointed"; readonly session: string; readonly checkpointId: string }
  | { readonly type: "looked"; readonly session: string; readonly version: number }
  | {
      readonly type: "refused";
      readonly session: string;
      readonly operation: OperationName | "open";
      readonly turn?: number;
      readonly code: string;
      readonly reason: string;
    }
  | { readonly type: "stopped"; readonly longestMs: number };

export type Outcome = Exclude<WriterLine, { readonly type: "ready" | "began" | "stopped" }>;
