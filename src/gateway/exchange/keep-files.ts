import { describeError } from "../../core/describe-error.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { WorkspaceOf } from "../../core/ports/workspace.ts";
import type { Conversation, SessionPool } from "../sessions/session-pool.ts";
import { within } from "../within.ts";

export interface FileKeeperOptions {
  readonly workspaceOf: WorkspaceOf;
  /** How long the end of a reply waits for the files to be saved. */
  readonly timeoutMs: number;
  readonly pool: SessionPool;
  /** Called at each failure, with the name of the step that failed and its error. */
  readonly incident: (what: string, error: unknown) => void;
  /** Called at the first failure, with a line for people that says why. */
  readonly warn: (line: string) => void;
}

/** Saves the files of workspaces when a person's turn begins, so that a rewind can restore them. */
export interface FileKeeper {
  /**
   * Saves the files of a conversation for the turn that begins at a version. Resolves when they are saved, or when that failed or took too long:
   * from then on the agent may change them. Never rejects.
   */
  keep(conversation: Conversation, version: number): Promise<void>;
}

/** The name of the incidents that a file keeper reports. */
export const CHECKPOINT_INCIDENT = "checkpoint";

/** After this many failures in a row no more files are saved: each failure would delay the end of a reply. */
const MOST_FAILURES = 3;

export function createFileKeeper(options: FileKeeperOptions): FileKeeper {
  const { workspaceOf, timeoutMs, pool } = options;
  /** The sessions whose files are being saved now, also those that the caller no longer waits for. */
  const saving = new Set<string>();
  let failures = 0;
  let isReported = false;

  function report(error: unknown): void {
    options.incident(CHECKPOINT_INCIDENT, error);
    if (isReported) return;
    isReported = true;
    const after = `After ${MOST_FAILURES} failures in a row no more are tried.`;
    options.warn(`no file checkpoint was made: ${describeError(error)} Requests go on without. ${after}`);
  }

  function fail(error: unknown): void {
    failures += 1;
    report(error);
  }

  async function save(sessionId: string): Promise<string | undefined> {
    if (saving.has(sessionId)) throw tooSlow("The one before is not done yet.");
    const files = workspaceOf(sessionId);
    if (files === undefined) return undefined;
    saving.add(sessionId);
    try {
      return (await files.save({ message: `turn of ${sessionId}` })).id;
    } finally {
      saving.delete(sessionId);
    }
  }

  /** Records the saved files as the checkpoint of a turn, in the conversation's queue: nothing else writes to the session meanwhile. */
  async function recordCheckpoint(conversation: Conversation, version: number, filesId: string): Promise<void> {
    try {
      await conversation.enqueue(async () => (await conversation.session()).checkpoint({ turn: { version, filesId } }));
    } catch (error) {
      // Not counted as a failure: a failing store delays no reply, and may work again at the next turn.
      report(error);
    }
  }

  return {
    keep: async (conversation, version) => {
      if (failures >= MOST_FAILURES) return;
      const saved = await within(timeoutMs, () => save(conversation.id));
      switch (saved.type) {
        case "done":
          failures = 0;
          // A client that has the whole reply finds the checkpoint.
          if (saved.value !== undefined) pool.track(recordCheckpoint(conversation, version, saved.value), "writing");
          return;
        case "failed":
          return fail(saved.error);
        case "late":
          // Files that are saved later may hold changes that the agent made since: they become no checkpoint.
          saved.whenDone.catch(() => undefined);
          return fail(tooSlow(`It took longer than ${timeoutMs} ms.`));
      }
    },
  };
}

function tooSlow(what: string): PalimpsestError {
  return new PalimpsestError("checkpoint-failed", `${what} Add what tools generate to .gitignore, or switch them off.`);
}
