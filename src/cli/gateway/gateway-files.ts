import { resolve } from "node:path";
import { assertWorkspace } from "../../checkpoints/folders.ts";
import { assertGit } from "../../checkpoints/git.ts";
import type { WorkspaceCheckpoints } from "../../checkpoints/workspace-checkpoints.ts";
import type { WorkspaceFiles, WorkspaceOf } from "../../core/ports/workspace.ts";
import type { StoreLocation } from "../sessions/store-location.ts";
import { checkpointsFolder, sessionFiles } from "../sessions/workspace-storage.ts";

/** The files that the agents of a gateway work on. */
export interface GatewayFiles {
  readonly workspaceOf: WorkspaceOf;
  /** Aborts every git process that still runs: one that hangs would keep the program from ending. */
  close(): void;
}

export interface GatewayFilesOptions {
  readonly folder: string;
  /** The store of the sessions, by which the commands find the checkpoints. */
  readonly location: StoreLocation;
}

/** Larger folders are refused: checkpoints are made automatically, at each turn of a person. */
const LIMITS = { maxFiles: 20_000, maxTotalBytes: 200_000_000 } as const;

/** Half of them may be named by a session's records; the others are those that rewinds made, by which they can be undone. */
const KEPT_CHECKPOINTS = 100;
/** Pruning takes longer than saving: it is done for several checkpoints at once. */
const PRUNE_BATCH = 20;

/** Opens checkpoints of a folder's files. Throws "checkpoint-failed" if the folder may not be checkpointed, or git is missing. */
export async function openGatewayFiles({ folder, location }: GatewayFilesOptions): Promise<GatewayFiles> {
  const workspace = assertWorkspace(resolve(folder), checkpointsFolder());
  await assertGit("git");
  const ending = new AbortController();
  const { signal } = ending;
  const savedBySession = new Map<string, number>();
  return {
    workspaceOf: (sessionId) => {
      const checkpoints = sessionFiles({ location, sessionId, workspace, limits: { ...LIMITS, signal } });
      return withPruning(checkpoints, () => {
        const saved = savedBySession.get(sessionId) ?? 0;
        savedBySession.set(sessionId, saved + 1);
        return saved % PRUNE_BATCH === 0;
      });
    },
    close: () => ending.abort(),
  };
}

/** The checkpoints with pruning: after a save for which `isDue` returns true, only the newest ones are kept. */
function withPruning(checkpoints: WorkspaceCheckpoints, isDue: () => boolean): WorkspaceFiles {
  async function prune(): Promise<void> {
    if ((await checkpoints.list()).length < KEPT_CHECKPOINTS + PRUNE_BATCH) return;
    await checkpoints.prune({ keep: KEPT_CHECKPOINTS });
  }
  return {
    ...checkpoints,
    save: async (options) => {
      const { id, isNew } = await checkpoints.save(options);
      // A prune that fails is tried again later.
      if (isNew && isDue()) prune().catch(() => undefined);
      return { id };
    },
  };
}
