import { foldCompacted, showsCompacted } from "../../core/history/fold-compacted.ts";
import type { LiveSession } from "./live-session.ts";

const MAX_TRIES = 5;

/** Hides what the provider compacted by itself. Where others keep rewriting the log, the next view does it. */
export async function hideCompacted({ id, log }: LiveSession): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const base = log.state();
    if (!showsCompacted(base.view)) return;
    if (await log.commit(base, foldCompacted(base.messages, id))) return;
  }
}
