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
  /** Ends every git that still runs: one that hangs would keep the program from ending. */
  close(): void;
}

export interface GatewayFilesOptions {
  readonly folder: string;
  /** Where the sessions are: the commands find the checkpoints by it. */
  readonly location: StoreLocation;
}

/** Checkpoints are made without being asked for each: a larger folder is refused. */
const LIMITS = { maxFiles: 20_000, maxTotalBytes: 200_000_000 } as const;

/** What a session of the store names is half of it; the rest are those that rewinds have made, to be undone. */
const KEPT_CHECKPOINTS = 100;
/** Forgetting takes longer than saving: it is done for several at once. */
const MOST_TO_FORGET = 20;

/** Throws "checkpoint-failed" where the folder may not be checkpointed, or there is no git. */
export async function openGatewayFiles({ folder, location }: GatewayFilesOptions): Promise<GatewayFiles> {
  const workspace = assertWorkspace(resolve(folder), checkpointsFolder());
  await assertGit("git");
  const ending = new AbortController();
  const { signal } = ending;
  const saved = new Map<string, number>();
  return {
    workspaceOf: (sessionId) => {
      const checkpoints = sessionFiles({ location, sessionId, workspace, limits: { ...LIMITS, signal } });
      return withForgetting(checkpoints, () => {
        const before = saved.get(sessionId) ?? 0;
        saved.set(sessionId, before + 1);
        return before % MOST_TO_FORGET === 0;
      });
    },
    close: () => ending.abort(),
  };
}

/** Files of which only the newest checkpoints are kept. */
function withForgetting(checkpoints: WorkspaceCheckpoints, isTimeToLook: () => boolean): WorkspaceFiles {
  async function forget(): Promise<void> {
    if ((await checkpoints.list()).length < KEPT_CHECKPOINTS + MOST_TO_FORGET) return;
    await checkpoints.prune({ keep: KEPT_CHECKPOINTS });
  }
  return {
    ...checkpoints,
    save: async (options) => {
      const { id, isNew } = await checkpoints.save(options);
      // What cannot be forgotten now can be later.
      if (isNew && isTimeToLook()) forget().catch(() => undefined);
      return { id };
    },
  };
}
