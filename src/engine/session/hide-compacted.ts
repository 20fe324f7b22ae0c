import { foldCompacted, showsCompacted } from "../../core/history/fold-compacted.ts";
import { needsOtherCompactions, showForReader } from "../../core/history/foreign-compaction.ts";
import type { CompactionReader } from "../../core/message/compaction-reader.ts";
import type { LiveSession } from "./live-session.ts";

const MAX_TRIES = 5;

/**
 * Hides the messages behind the compactions of a provider, if the reader understands them, and shows them otherwise. Gives up where other processes
 * keep rewriting the log; the next view tries again.
 */
export async function hideCompacted({ id, log }: LiveSession, reader: CompactionReader): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const view = log.view();
    if (!showsCompacted(view) && !needsOtherCompactions(view, reader)) return;
    const base = await log.whole();
    const readable = showForReader(base.messages, { reader, taskId: id });
    if (await log.commit(base, foldCompacted(readable, id))) return;
  }
}
