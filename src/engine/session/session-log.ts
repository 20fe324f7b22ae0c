import { trackView } from "../../core/history/track-view.ts";
import type { CountTokens, Message } from "../../core/message/message.ts";

/** A session's log, which grows at any time and is rewritten only as a whole. */
export interface SessionLog {
  append(message: Message): void;
  messages(): readonly Message[];
  /** A copy: it may be kept. */
  view(): readonly Message[];
  viewTokens(): number;
  viewLength(): number;
  /**
   * Takes a folded form of what the log was at `base`, with all that was appended since. False when the log has been
   * rewritten meanwhile: then nothing changes.
   */
  commit(base: LogState, folded: readonly Message[]): boolean;
  /** What the log is now; later appends do not change it. */
  state(): LogState;
}

export interface LogState {
  readonly messages: readonly Message[];
  /** How often the log had been rewritten. */
  readonly rewrites: number;
}

export function createSessionLog(messages: readonly Message[], countTokens: CountTokens): SessionLog {
  const tracker = trackView(messages, countTokens);
  let rewrites = 0;
  return {
    append: (message) => tracker.append(message),
    messages: () => tracker.log(),
    view: () => [...tracker.view()],
    viewTokens: () => tracker.tokens(),
    viewLength: () => tracker.view().length,
    state: () => ({ messages: [...tracker.log()], rewrites }),
    commit: (base, folded) => {
      if (base.rewrites !== rewrites) return false;
      tracker.replace([...folded, ...tracker.log().slice(base.messages.length)]);
      rewrites += 1;
      return true;
    },
  };
}
