import type { Message } from "../../message/message.ts";
import { contentBlocks, isToolUse } from "../../message/tool-pairs.ts";
import { toolAct } from "../../tool-calls/tool-act.ts";
import { mentionsIn } from "./identifier-weights.ts";
import { forgetSource } from "./source-lines.ts";

/** Reads a message as a ledger will, which remembers it: writing one costs less afterwards, and is the same text. */
export function readMessage(message: Message): void {
  mentionsIn(message);
  for (const block of contentBlocks(message.content)) if (isToolUse(block)) toolAct(block);
}

/** Gives up what is remembered of a message; a ledger reads it again. */
export function forgetMessage(message: Message): void {
  forgetSource(message);
}
