import { type LogSegment, logSegments, segmentFacts } from "./log-segments.ts";
import type { Message, ToolResultBlock, ToolUseBlock } from "./message.ts";
import { contentBlocks, isToolResult, isToolUse } from "./tool-pairs.ts";

/**
 * Finds the call that a tool result answers: the newest call before it with the result's id; undefined where there is none. `place` is that
 * of the result's message in its segment.
 */
export type CallOf = (
  segmentNumber: number,
  place: { readonly place: number; readonly blockIndex: number },
  result: ToolResultBlock,
) => ToolUseBlock | undefined;

export interface AnsweredCalls {
  /** For one segment: the calls that were both made and answered in it, by the `blockKey` of their results. */
  readonly answeredIn: ReturnType<typeof segmentFacts<ReadonlyMap<string, ToolUseBlock>>>;
  /** Finds calls in one log. */
  of(messages: readonly Message[]): CallOf;
}

/** Names a block of a segment: by the place of its message in the segment, and its index in that message's content. */
export function blockKey(place: number, blockIndex: number): string {
  return `${place} ${blockIndex}`;
}

/**
 * Finds the calls of tool results without reading the whole log: a call is nearly always in the same segment as its result, or in the one before.
 * Only messages for which `isRead` holds are searched.
 */
export function answeredCalls(isRead: (message: Message) => boolean): AnsweredCalls {
  const answeredIn = segmentFacts((messages): ReadonlyMap<string, ToolUseBlock> => {
    const calls = new Map<string, ToolUseBlock>();
    const answered = new Map<string, ToolUseBlock>();
    for (const [place, message] of messages.entries()) {
      if (!isRead(message)) continue;
      for (const [blockIndex, block] of contentBlocks(message.content).entries()) {
        if (isToolUse(block)) calls.set(block.id, block);
        const call = isToolResult(block) ? calls.get(block.tool_use_id) : undefined;
        if (call !== undefined) answered.set(blockKey(place, blockIndex), call);
      }
    }
    return answered;
  });

  /** For one segment: the newest call of each id. */
  const callsIn = segmentFacts((messages): ReadonlyMap<string, ToolUseBlock> => {
    const blocks = messages.filter(isRead).flatMap(({ content }) => contentBlocks(content));
    return new Map(blocks.filter(isToolUse).map((call) => [call.id, call]));
  });

  return {
    answeredIn,
    of: (messages) => {
      const segments = logSegments(messages);
      const answeredAt = eachOnce(segments, answeredIn);
      const callBefore = searchBefore(segments, eachOnce(segments, callsIn));
      return (segmentNumber, { place, blockIndex }, { tool_use_id }) => {
        const inSegment = answeredAt(segmentNumber)?.get(blockKey(place, blockIndex));
        return inSegment ?? callBefore(segmentNumber, tool_use_id);
      };
    },
  };
}

type CallsById = ReadonlyMap<string, ToolUseBlock>;

/** Reads each segment once for all results of a log: facts of a segment that may still change, as the newest one of most logs, are not cached. */
function eachOnce(
  segments: readonly LogSegment[],
  read: (segment: LogSegment) => CallsById,
): (number: number) => CallsById | undefined {
  const known: (CallsById | undefined)[] = [];
  return (number) => {
    const segment = segments[number];
    const facts = known[number] ?? (segment && read(segment));
    known[number] = facts;
    return facts;
  };
}

/** Finds, in the segments before one, the newest call with an id; `callsAt` gives a segment's newest call of each id. */
function searchBefore(
  segments: readonly LogSegment[],
  callsAt: (number: number) => CallsById | undefined,
): (number: number, id: string) => ToolUseBlock | undefined {
  let segmentNumbers: Map<string, number[]> | undefined;
  const callIn = (number: number | undefined, id: string) =>
    number === undefined ? undefined : callsAt(number)?.get(id);
  /** By the id of a call, the numbers of the segments that hold one; built when a call is first not found nearby. */
  function segmentNumbersById(): ReadonlyMap<string, readonly number[]> {
    if (segmentNumbers !== undefined) return segmentNumbers;
    segmentNumbers = new Map();
    for (const number of segments.keys()) {
      for (const id of callsAt(number)?.keys() ?? []) {
        const numbers = segmentNumbers.get(id);
        if (numbers === undefined) segmentNumbers.set(id, [number]);
        else numbers.push(number);
      }
    }
    return segmentNumbers;
  }
  return (number, id) => {
    if (number === 0) return undefined;
    const near = callIn(number - 1, id);
    if (near !== undefined || number === 1) return near;
    const numbers = segmentNumbersById().get(id);
    return callIn(
      numbers?.findLast((earlier) => earlier < number),
      id,
    );
  };
}
