import { type LogSegment, logSegments, segmentFacts } from "./log-segments.ts";
import type { Message, ToolResultBlock, ToolUseBlock } from "./message.ts";
import { contentBlocks, isToolResult, isToolUse } from "./tool-pairs.ts";

/** The call that a result of a segment's message answers: the newest before it that has its id. */
export type CallOf = (
  segmentNumber: number,
  place: { readonly place: number; readonly blockIndex: number },
  result: ToolResultBlock,
) => ToolUseBlock | undefined;

export interface AnsweredCalls {
  /** The calls that are answered in a segment where they were made in it, too, by `callKey`. */
  readonly answeredIn: ReturnType<typeof segmentFacts<ReadonlyMap<string, ToolUseBlock>>>;
  /** For the segments of one log. */
  of(messages: readonly Message[]): CallOf;
}

/** What stands where in a segment. */
export function callKey(place: number, blockIndex: number): string {
  return `${place} ${blockIndex}`;
}

/** Finds calls without a look at the whole log: they are nearly always in the same segment, or in the one before. */
export function answeredCalls(isRead: (message: Message) => boolean): AnsweredCalls {
  const answeredIn = segmentFacts((messages): ReadonlyMap<string, ToolUseBlock> => {
    const calls = new Map<string, ToolUseBlock>();
    const answered = new Map<string, ToolUseBlock>();
    for (const [place, message] of messages.entries()) {
      if (!isRead(message)) continue;
      for (const [blockIndex, block] of contentBlocks(message.content).entries()) {
        if (isToolUse(block)) calls.set(block.id, block);
        const call = isToolResult(block) ? calls.get(block.tool_use_id) : undefined;
        if (call !== undefined) answered.set(callKey(place, blockIndex), call);
      }
    }
    return answered;
  });

  /** The newest of each id. */
  const callsIn = segmentFacts((messages): ReadonlyMap<string, ToolUseBlock> => {
    const blocks = messages.filter(isRead).flatMap(({ content }) => contentBlocks(content));
    return new Map(blocks.filter(isToolUse).map((call) => [call.id, call]));
  });

  function searchBefore(segments: readonly LogSegment[]): (number: number, id: string) => ToolUseBlock | undefined {
    let holders: Map<string, number[]> | undefined;
    const callIn = (number: number | undefined, id: string) => {
      const segment = number === undefined ? undefined : segments[number];
      return segment && callsIn(segment).get(id);
    };
    function allHolders(): ReadonlyMap<string, readonly number[]> {
      if (holders !== undefined) return holders;
      holders = new Map();
      for (const [number, segment] of segments.entries()) {
        for (const id of callsIn(segment).keys()) {
          const known = holders.get(id);
          if (known === undefined) holders.set(id, [number]);
          else known.push(number);
        }
      }
      return holders;
    }
    return (number, id) => {
      if (number === 0) return undefined;
      const near = callIn(number - 1, id);
      if (near !== undefined || number === 1) return near;
      return callIn(
        allHolders()
          .get(id)
          ?.findLast((holder) => holder < number),
        id,
      );
    };
  }

  return {
    answeredIn,
    of: (messages) => {
      const segments = logSegments(messages);
      const callBefore = searchBefore(segments);
      return (segmentNumber, { place, blockIndex }, { tool_use_id }) => {
        const segment = segments[segmentNumber];
        const inSegment = segment && answeredIn(segment).get(callKey(place, blockIndex));
        return inSegment ?? callBefore(segmentNumber, tool_use_id);
      };
    },
  };
}
