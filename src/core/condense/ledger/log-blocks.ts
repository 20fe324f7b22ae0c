import { isStandIn } from "../../message/effective-view.ts";
import { type LogSegment, logSegments, segmentFacts } from "../../message/log-segments.ts";
import type { Message, ToolUseBlock } from "../../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../../message/tool-pairs.ts";
import { type ToolAct, toolAct } from "../../tool-calls/tool-act.ts";
import { type LineSource, type SourceLine, sourceBlocks } from "./source-lines.ts";

/** A block of the log with everything that the ledger needs to judge its lines. */
export interface LogBlock {
  /** The number of its message among those that were said, from 0; undefined for a summary. */
  readonly number: number | undefined;
  readonly message: Message;
  readonly source: LineSource;
  readonly lines: readonly SourceLine[];
  /** How many replies of the model came after it. */
  readonly age: number;
  /** The call that it is, or that it answers. */
  readonly call: ToolUseBlock | undefined;
  readonly act: ToolAct | undefined;
  /** Whether it is a result that reports an error. */
  readonly isError: boolean;
}

/** The newest messages, of which all blocks are read. What is older is hardly ever needed again, and recall finds it. */
const REACH_MESSAGES = 2_000;
/** Older messages of the person that are read too. */
const REACH_SAID = 1_000;

/**
 * The messages that a ledger reads: the newest ones, and of those before them the newest that the person said. So the cost of a ledger is
 * bounded, however long the session is.
 */
export function readableMessages(messages: readonly Message[]): ReadonlySet<Message> {
  const reach = Math.max(0, messages.length - REACH_MESSAGES);
  const said: Message[] = [];
  for (const { start, messages: items, isFrozen } of logSegments(messages).toReversed()) {
    if (start >= reach) continue;
    if (said.length >= REACH_SAID) break;
    const isWhole = start + items.length <= reach;
    const older = isWhole ? saidIn({ messages: items, isFrozen }) : items.slice(0, reach - start).filter(isSaid);
    said.push(...older.toReversed());
  }
  return new Set([...said.slice(0, REACH_SAID).toReversed(), ...messages.slice(reach)]);
}

const saidIn = segmentFacts((messages) => messages.filter(isSaid));

interface SegmentCounts {
  readonly replies: number;
  /** Without stand-ins. */
  readonly messages: number;
}

const countsIn = segmentFacts(
  (messages): SegmentCounts => ({
    replies: messages.filter(({ role }) => role === "assistant").length,
    messages: messages.filter((message) => !isStandIn(message)).length,
  }),
);

function isSaid({ role, content }: Message): boolean {
  return role === "user" && !contentBlocks(content).some(isToolResult);
}

/** Every block of the readable messages of the log that can be quoted, oldest first. */
export function logBlocks(messages: readonly Message[], readable = readableMessages(messages)): readonly LogBlock[] {
  const blocks: LogBlock[] = [];
  const calls = new Map<string, ToolUseBlock>();
  const segments = logSegments(messages);
  let age = segments.reduce((sum, segment) => sum + countsIn(segment).replies, 0);
  let number = 0;
  const reach = messages.length - REACH_MESSAGES;
  const isPassedOver = (segment: LogSegment) =>
    segment.start + segment.messages.length <= reach && !saidIn(segment).some((message) => readable.has(message));
  for (const segment of segments) {
    if (isPassedOver(segment)) {
      age -= countsIn(segment).replies;
      number += countsIn(segment).messages;
    } else for (const message of segment.messages) read(message);
  }
  return blocks;

  function read(message: Message): void {
    if (message.role === "assistant") age -= 1;
    if (!readable.has(message)) {
      if (!isStandIn(message)) number += 1;
      return;
    }
    const contents = contentBlocks(message.content);
    for (const { source, blockIndex, lines } of sourceBlocks(message)) {
      const content = contents[blockIndex];
      const isCall = content !== undefined && isToolUse(content);
      const isResult = content !== undefined && isToolResult(content);
      // Some providers use an id again in a later turn: a result belongs to the call before it.
      if (isCall) calls.set(content.id, content);
      const call = isCall ? content : isResult ? calls.get(content.tool_use_id) : undefined;
      const act = call === undefined ? undefined : toolAct(call);
      const isError = isResult && content.is_error === true;
      const place = isStandIn(message) ? undefined : number;
      blocks.push({ number: place, message, source, lines, age, call, act, isError });
    }
    if (!isStandIn(message)) number += 1;
  }
}
