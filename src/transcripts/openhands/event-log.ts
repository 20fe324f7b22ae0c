import type { Block } from "../../core/message/message.ts";
import type { RequestUsage, TranscriptEntry } from "../../core/transcript/assemble-transcript.ts";
import type { TranscriptProblem } from "../../core/transcript/transcript.ts";
import { type MessageStamp, stamped, textBlocks } from "../../core/transcript/transcript-draft.ts";

/** The conversation that was read from a list of events. */
export interface ReadEvents {
  readonly entries: readonly TranscriptEntry[];
  readonly problems: readonly TranscriptProblem[];
  readonly systemPrompt?: string | undefined;
  readonly modelId?: string | undefined;
}

/** The beginning of a reply, before the calls that its actions add. */
export interface ReplyStart {
  readonly blocks: readonly Block[];
  readonly usage?: RequestUsage | undefined;
}

export interface ToolOutcome {
  /** Undefined if it answers no call. */
  readonly callId: string | undefined;
  readonly text: string;
  readonly isError: boolean;
}

/** Collects the entries of events. Actions of the same reply of the model become one message. */
export interface EventLog {
  readonly entries: readonly TranscriptEntry[];
  addUser(blocks: readonly Block[], stamp: MessageStamp): void;
  addReply(blocks: readonly Block[], stamp: MessageStamp): void;
  addOutcome(outcome: ToolOutcome, stamp: MessageStamp): void;
  /** Adds a compaction: the agent dropped its oldest events, and may have written a summary of them. */
  addCompaction(summary: string | undefined, stamp: MessageStamp): void;
  /** Returns the blocks of the reply with this id, for adding to them. Begins a reply unless the last action belonged to the same one. */
  openReply(responseId: string | undefined, stamp: MessageStamp, start: () => ReplyStart): Block[];
}

export function createEventLog(): EventLog {
  const entries: TranscriptEntry[] = [];
  let open: { readonly responseId: string; readonly blocks: Block[] } | undefined;
  const addUser = (blocks: readonly Block[], stamp: MessageStamp): void => {
    entries.push({ type: "message", message: stamped("user", blocks, stamp) });
  };
  return {
    entries,
    addUser,
    addReply(blocks, stamp) {
      open = undefined;
      entries.push({ type: "message", message: stamped("assistant", blocks, stamp) });
    },
    addOutcome({ callId, text, isError }, stamp) {
      const error = isError && { is_error: true };
      if (callId === undefined) addUser(textBlocks(text), stamp);
      else addUser([{ type: "tool_result", tool_use_id: callId, content: text, ...error }], stamp);
    },
    addCompaction(summary, stamp) {
      entries.push({ type: "compaction", ...(summary && { summary }) });
      addUser(textBlocks(summary), stamp);
    },
    openReply(responseId, stamp, start) {
      if (open !== undefined && open.responseId === responseId) return open.blocks;
      const { blocks: first, usage } = start();
      const blocks = [...first];
      open = responseId === undefined ? undefined : { responseId, blocks };
      entries.push({ type: "message", message: stamped("assistant", blocks, stamp), usage });
      return blocks;
    },
  };
}
