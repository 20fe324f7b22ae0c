import type { Message } from "../../message/message.ts";
import { contentBlocks, isToolUse } from "../../message/tool-pairs.ts";
import { toolAct } from "../../tool-calls/tool-act.ts";
import { mentionsIn } from "./identifier-weights.ts";
import { forgetSource } from "./source-lines.ts";

/** Fills the caches that writing a ledger uses for a message, so that it takes less time later. */
export function readMessage(message: Message): void {
  mentionsIn(message);
  for (const block of contentBlocks(message.content)) if (isToolUse(block)) toolAct(block);
}

/** Drops a message's lines from the cache. */
export function forgetMessage(message: Message): void {
  forgetSource(message);
}
