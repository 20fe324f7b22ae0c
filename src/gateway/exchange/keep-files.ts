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
  /** Called with what failed, each time. */
  readonly incident: (what: string, error: unknown) => void;
  /** Called with the reason, the first time. */
  readonly tell: (line: string) => void;
}

/** Keeps the files of workspaces as they are when a person speaks. */
export interface FileKeeper {
  /**
   * Saves the files of a conversation for the turn that begins at a version. Resolves when they are saved, or given up on: from then on the
   * agent may change them. Never rejects.
   */
  keep(conversation: Conversation, version: number): Promise<void>;
}

/** What an incident of it is called. */
export const CHECKPOINT_INCIDENT = "checkpoint";

/** So many in a row, and no more are tried: each would hold up the end of a reply. */
const MOST_FAILURES = 3;

export function createFileKeeper(options: FileKeeperOptions): FileKeeper {
  const { workspaceOf, timeoutMs, pool } = options;
  /** The sessions whose files are still being saved, whoever waits for that. */
  const saving = new Set<string>();
  let failures = 0;
  let isTold = false;

  function report(error: unknown): void {
    options.incident(CHECKPOINT_INCIDENT, error);
    if (isTold) return;
    isTold = true;
    const after = `After ${MOST_FAILURES} failures in a row no more are tried.`;
    options.tell(`no file checkpoint was made: ${describeError(error)} Requests go on without. ${after}`);
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

  /** In the conversation's own queue, so that nothing is written to the session meanwhile. */
  async function tie(conversation: Conversation, version: number, filesId: string): Promise<void> {
    try {
      await conversation.enqueue(async () => (await conversation.session()).checkpoint({ turn: { version, filesId } }));
    } catch (error) {
      // A store that fails holds up no reply, and may be back at the next turn.
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
          if (saved.value !== undefined) pool.track(tie(conversation, version, saved.value), "writing");
          return;
        case "failed":
          return fail(saved.error);
        case "late":
          // What is saved now may hold what the agent has changed since: it is not tied to the turn.
          saved.whenDone.catch(() => undefined);
          return fail(tooSlow(`It took longer than ${timeoutMs} ms.`));
      }
    },
  };
}

function tooSlow(what: string): PalimpsestError {
  return new PalimpsestError("checkpoint-failed", `${what} Add what tools generate to .gitignore, or switch them off.`);
}
