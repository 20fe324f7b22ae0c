import { type AnsweredCalls, answeredCalls, callKey } from "../message/answered-calls.ts";
import { isStandIn } from "../message/effective-view.ts";
import { type LogSegment, segmentFacts } from "../message/log-segments.ts";
import type { Message } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { concernsPlan, showsPlan } from "./approved-plan.ts";
import { knownPlanKey, knownResultParts } from "./call-parts.ts";
import { type ReadStanding, readStanding } from "./read-standing.ts";

/** What of a segment can matter for what binds, whatever comes before and after it. */
export interface StandingSegment {
  /** The places in the segment of the messages that can; of all others nothing follows. */
  readonly places: readonly number[];
}

/** All that is said in a segment, for the rare case in which any result in it may answer a plan that was shown before. */
export function wholeStandingSegment({ messages }: Pick<LogSegment, "messages">): StandingSegment {
  return { places: [...messages.keys()].filter((place) => isSaid(messages[place])) };
}

/** The same, without the messages of which nothing follows. */
export const standingSegment: ReturnType<typeof segmentFacts<StandingSegment>> = segmentFacts((messages) => {
  const binding = new Set(bindingPlaces(messages));
  const kept = new Set([...binding, ...talkingPlaces(messages, binding)]);
  return { places: [...kept].toSorted((one, other) => one - other) };
});

/** Stand-ins repeat calls that were made before them. */
export const STANDING_CALLS: AnsweredCalls = answeredCalls(isSaid);

export interface TalkCounts {
  readonly hasTools: boolean;
  readonly said: number;
  readonly named: number;
}

/** How people talk in a segment. */
export const talkCounts: ReturnType<typeof segmentFacts<TalkCounts>> = segmentFacts((messages) => {
  const said = messages.filter(isSaid).map(readStanding);
  return {
    hasTools: said.some(({ hasCalls, hasResults }) => hasCalls || hasResults),
    said: said.length,
    named: said.filter(({ isNamed }) => isNamed).length,
  };
});

function isSaid(message: Message | undefined): message is Message {
  return message !== undefined && !isStandIn(message);
}

/** Messages in which something may bind by itself, or by the tool that was called. */
function bindingPlaces(messages: readonly Message[]): readonly number[] {
  const calls = STANDING_CALLS.answeredIn({ messages, isFrozen: false });
  const shownPlans = new Set(
    messages
      .flatMap(({ content }) => contentBlocks(content))
      .filter(isToolUse)
      .filter(showsPlan)
      .map(({ id }) => id),
  );
  return [...messages.entries()].flatMap(([place, message]) => {
    if (!isSaid(message)) return [];
    const binds = contentBlocks(message.content).some((block, blockIndex) => {
      if (isToolUse(block)) return knownPlanKey(block) !== undefined || concernsPlan(block);
      if (!isToolResult(block)) return false;
      const call = calls.get(callKey(place, blockIndex));
      if (call === undefined || shownPlans.has(block.tool_use_id)) return true;
      return block.is_error !== true && knownResultParts(call, block).length > 0;
    });
    return binds || readStanding(message).parts.length > 0 ? [place] : [];
  });
}

/** A message of the assistant, or one in which a person speaks. */
interface Talk {
  readonly place: number;
  readonly isReply: boolean;
  readonly read: ReadStanding;
}

/**
 * Messages by which it may be known who spoke first and last, and what an answer means. What the assistant offers is gone with its next reply; a
 * request gives way to the next one that says more than "go on". So of most messages nothing follows that later ones leave standing.
 */
function talkingPlaces(messages: readonly Message[], binding: ReadonlySet<number>): readonly number[] {
  const talks = [...messages.entries()].flatMap(([place, message]): readonly Talk[] => {
    if (!isSaid(message)) return [];
    const read = readStanding(message);
    const isReply = message.role === "assistant";
    return isReply || read.speech.length > 0 ? [{ place, isReply, read }] : [];
  });
  const isRequest = ({ isReply, read }: Talk) => !isReply && !read.hasResults;
  const first = talks.find(isRequest);
  const places: number[] = [];
  let next: { readonly isReply: boolean; readonly isDropped: boolean } | undefined;
  let [hasLaterRequest, hasLaterTask] = [false, false];
  for (const [index, talk] of [...talks.entries()].toReversed()) {
    const { isReply, read } = talk;
    const isFollowed = next !== undefined && (next.isReply || (isReply && next.isDropped));
    const isOutdated = isReply || (read.hasResults ? hasLaterRequest : hasLaterTask);
    // What binds is read in any case: a reply before it must not seem to be followed by nothing.
    const isFree = talk !== first && !binding.has(talk.place);
    const isDropped = isFollowed && isOutdated && isFree && !mayApprove(talk, talks[index - 1]);
    if (!isDropped) places.push(talk.place);
    if (isRequest(talk)) {
      hasLaterRequest = true;
      if (!read.saysGoOn) hasLaterTask = true;
    }
    next = { isReply, isDropped };
  }
  return places;
}

/** Whether it may approve a plan that was proposed in words right before it. */
function mayApprove({ isReply, read }: Talk, before: Talk | undefined): boolean {
  if (isReply || !read.approves) return false;
  return before === undefined || (before.isReply && before.read.proposes.length > 0);
}
