import type { Block } from "../../core/message/message.ts";
import type { RequestUsage, TranscriptEntry } from "../../core/transcript/assemble-transcript.ts";
import type { TranscriptProblem } from "../../core/transcript/transcript.ts";
import { type MessageStamp, stamped, textBlocks } from "../../core/transcript/transcript-draft.ts";

/** What a list of events says. */
export interface ReadEvents {
  readonly entries: readonly TranscriptEntry[];
  readonly problems: readonly TranscriptProblem[];
  readonly systemPrompt?: string | undefined;
  readonly modelId?: string | undefined;
}

/** How a reply of the model begins, before the calls that its actions add. */
export interface ReplyStart {
  readonly blocks: readonly Block[];
  readonly usage?: RequestUsage | undefined;
}

export interface ToolOutcome {
  /** Undefined where it answers no call. */
  readonly callId: string | undefined;
  readonly text: string;
  readonly isError: boolean;
}

/** Collects what events say; actions that came from one reply of the model go to one message. */
export interface EventLog {
  readonly entries: readonly TranscriptEntry[];
  addUser(blocks: readonly Block[], stamp: MessageStamp): void;
  addReply(blocks: readonly Block[], stamp: MessageStamp): void;
  addOutcome(outcome: ToolOutcome, stamp: MessageStamp): void;
  /** The agent forgot its oldest events; a summary stands for them, where it wrote one. */
  addCompaction(summary: string | undefined, stamp: MessageStamp): void;
  /** The blocks of the reply with this id, to add to: a new one unless the last action came from it, too. */
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
