import { trackView } from "../../core/history/track-view.ts";
import { isStandIn, renderMessage } from "../../core/message/effective-view.ts";
import type { CountTokens, Message } from "../../core/message/message.ts";
import { countMessagesTokens } from "../../core/tokens/count-messages.ts";
import { ownMessages } from "../plugins/own-messages.ts";

/** A session's log, which grows at any time and is rewritten only as a whole. */
export interface SessionLog {
  /** All of them or, where one cannot be counted, none. True where that changes what is shown of the messages before. */
  append(messages: readonly Message[]): boolean;
  /** As it is now; later appends do not change the array. */
  messages(): readonly Message[];
  /** As it is now; later appends do not change the array. */
  view(): readonly Message[];
  viewTokens(): number;
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
  const tracker = trackView(ownMessages(messages), countTokens);
  let rewrites = 0;
  /** Copies of the tracker's arrays, until they change: other people's code is shown them. */
  let copies: { readonly log: readonly Message[]; readonly view: readonly Message[] } | undefined;

  function current() {
    copies ??= { log: Object.freeze([...tracker.log()]), view: Object.freeze([...tracker.view()]) };
    return copies;
  }

  return {
    append: (added) => {
      const own = ownMessages(added);
      countMessagesTokens(own.map(renderMessage), countTokens);
      for (const message of own) tracker.append(message);
      copies = undefined;
      // A saved log may come message by message: a summary in it hides what came before.
      const isRewritten = own.some(isStandIn);
      if (isRewritten) rewrites += 1;
      return isRewritten;
    },
    messages: () => current().log,
    view: () => current().view,
    viewTokens: () => tracker.tokens(),
    state: () => ({ messages: current().log, rewrites }),
    commit: (base, folded) => {
      if (base.rewrites !== rewrites) return false;
      tracker.replace([...ownMessages(folded), ...tracker.log().slice(base.messages.length)]);
      copies = undefined;
      rewrites += 1;
      return true;
    },
  };
}
