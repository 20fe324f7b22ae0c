import { type AnsweredCalls, answeredCalls, blockKey } from "../message/answered-calls.ts";
import { isStandIn } from "../message/effective-view.ts";
import { type LogSegment, segmentFacts } from "../message/log-segments.ts";
import type { Message } from "../message/message.ts";
import { contentBlocks, isToolResult, isToolUse } from "../message/tool-pairs.ts";
import { concernsPlan, showsPlan } from "./approved-plan.ts";
import { knownPlanKey, knownResultParts } from "./call-parts.ts";
import { type ReadStanding, readStanding } from "./read-standing.ts";

/** The messages of a segment that must be read to find what binds, whatever comes before and after it. */
export interface StandingSegment {
  /** Their indexes in the segment. */
  readonly places: readonly number[];
}

/** All said messages of a segment, for the rare case in which any result in it may answer a plan that was shown before. */
export function wholeStandingSegment({ messages }: Pick<LogSegment, "messages">): StandingSegment {
  return { places: [...messages.keys()].filter((place) => isSaid(messages[place])) };
}

/** The messages of a segment that can matter: those with parts that bind, and those of the talk that later messages do not outdate. */
export const standingSegment: ReturnType<typeof segmentFacts<StandingSegment>> = segmentFacts((messages) => {
  const binding = new Set(bindingPlaces(messages));
  const kept = new Set([...binding, ...talkingPlaces(messages, binding)]);
  return { places: [...kept].toSorted((one, other) => one - other) };
});

/** Finds calls in said messages: stand-ins may repeat calls that were made before them. */
export const STANDING_CALLS: AnsweredCalls = answeredCalls(isSaid);

/** How many messages were said in a segment, how many of them begin with a name, and whether tools were used. */
export interface TalkCounts {
  readonly hasTools: boolean;
  readonly said: number;
  readonly named: number;
}

/** The counts of a segment, by which it is told who talks in a log. */
export const talkCounts: ReturnType<typeof segmentFacts<TalkCounts>> = segmentFacts((messages) => {
  const said = messages.filter(isSaid).map(readStanding);
  return {
    hasTools: said.some(({ hasCalls, hasResults }) => hasCalls || hasResults),
    said: said.length,
    named: said.filter(({ isNamed }) => isNamed).length,
  };
});

/** A summary without an id is no stand-in, as it hides nothing, but nobody said it either. */
function isSaid(message: Message | undefined): message is Message {
  return message !== undefined && message.isSummary !== true && !isStandIn(message);
}

/** The indexes of messages in which something may bind, by itself or because of the tool that was called. */
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
      const call = calls.get(blockKey(place, blockIndex));
      if (call === undefined || shownPlans.has(block.tool_use_id)) return true;
      return knownResultParts(call, block).length > 0;
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
 * The indexes of messages that may be the first or newest request, or that give meaning to an answer. An offer of the assistant is outdated by its next
 * reply, and a request by the next one that says more than "go on", so that most messages need not be read.
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
    // Messages in which something binds are read in any case, so they are never dropped here.
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

/** Whether a message may approve a plan that was proposed in words right before it. */
function mayApprove({ isReply, read }: Talk, before: Talk | undefined): boolean {
  if (isReply || !read.approves) return false;
  return before === undefined || (before.isReply && before.read.proposes.length > 0);
}
