import { type Block, isKnownBlock, type Message } from "../message/message.ts";
import { contentBlocks } from "../message/tool-pairs.ts";
import { type PointReference, pointSpans } from "./named-points.ts";
import { MAX_OFFER_CHARACTERS, type ReadStanding, readStanding } from "./read-standing.ts";
import type { FoundPart } from "./standing-part.ts";

/** How many of the newest requests bind, where all but the oldest of them only say "go on". */
const MOST_REQUESTS = 4;

/** Where a person spoke in a log, as far as it binds. */
export interface SpeechPlaces {
  /** Takes the next message of the log. */
  note(logIndex: number, message: Message, read: ReadStanding): void;
  /** The parts that bind: the first request, the newest ones, what these answer, and what was said beside the newest results. */
  parts(messages: readonly Message[]): readonly SpokenPart[];
}

/** A part with the index of its message. */
type SpokenPart = FoundPart & { readonly logIndex: number };

/** Follows the person's requests, message by message, from the beginning of a log. */
export function createSpeechPlaces(): SpeechPlaces {
  let first: number | undefined;
  /** The newest request and, where it only says "go on", what it goes on with. */
  let newest: readonly number[] = [];
  /** The newest message in which the person spoke beside results, while the agent worked. */
  let lastBeside: number | undefined;
  /** The assistant's last message, until somebody answers it. */
  let offered: Offer | undefined;
  /** By the index of a short request, the message that it answers. */
  const answered = new Map<number, Answered>();

  return {
    note(logIndex: number, { role }: Message, read: ReadStanding): void {
      const { speech, saysGoOn, hasResults, isShort, approves, points } = read;
      if (role === "assistant") {
        offered = { logIndex, read };
        return;
      }
      if (speech.length === 0) return;
      if (hasResults) {
        lastBeside = logIndex;
        return;
      }
      first ??= logIndex;
      // An approved plan binds for longer, and is followed by `watchApprovedPlan`.
      const isApproved = approves && offered !== undefined && offered.read.proposes.length > 0;
      if (isShort && offered !== undefined && !isApproved) answered.set(logIndex, { ...offered, points });
      offered = undefined;
      newest = [...(saysGoOn ? newest.slice(1 - MOST_REQUESTS) : []), logIndex];
      lastBeside = undefined;
    },
    parts(messages: readonly Message[]): readonly SpokenPart[] {
      /** All blocks of a request, as it may be about a picture. */
      const whole = (kind: "task" | "request", logIndex: number) => {
        const message = messages[logIndex];
        if (message === undefined) return [];
        const { speech } = readStanding(message);
        const others = [...contentBlocks(message.content).entries()].flatMap(([index, { type }]) =>
          type === "text" ? [] : [index],
        );
        return [...speech, ...others].map((blockIndex) => spoken(kind, logIndex, blockIndex));
      };
      const beside = lastBeside === undefined ? undefined : messages[lastBeside];
      const said = beside === undefined ? [] : readStanding(beside).speech;
      return [
        ...newest.flatMap((logIndex) => whole("request", logIndex)),
        ...newest.flatMap((logIndex) => answeredParts(answered.get(logIndex), messages)),
        ...(first === undefined || newest.includes(first) ? [] : whole("task", first)),
        ...said.map((blockIndex) => spoken("request", lastBeside ?? 0, blockIndex)),
      ];
    },
  };
}

/** A message of the assistant that a request may answer. */
interface Offer {
  readonly logIndex: number;
  readonly read: ReadStanding;
}

interface Answered extends Offer {
  /** The points of it that the request speaks of. */
  readonly points: PointReference | undefined;
}

/** The parts of an answered message that bind: an offer whole; of any other text, the points that the request speaks of. */
function answeredParts(answered: Answered | undefined, messages: readonly Message[]): readonly SpokenPart[] {
  if (answered === undefined) return [];
  const { logIndex, read, points } = answered;
  const part = { kind: "plan", logIndex, text: "", effect: "binds" } as const;
  const key = (blockIndex: number) => `plan:answered:${logIndex}:${blockIndex}`;
  const content = messages[logIndex]?.content;
  if (read.offers.length > 0 || points === undefined || content === undefined) {
    return read.offers.map((blockIndex) => ({ ...part, key: key(blockIndex), blockIndex }));
  }
  const maxCharacters = Math.floor(MAX_OFFER_CHARACTERS / read.waits.length);
  return read.waits.flatMap((blockIndex) => {
    const block: Block | undefined =
      typeof content === "string" ? { type: "text", text: content } : content[blockIndex];
    if (block === undefined || !isKnownBlock(block) || block.type !== "text") return [];
    const spans = pointSpans(block.text, points, maxCharacters);
    return spans.map((span) => ({ ...part, key: `${key(blockIndex)}:${span.start}`, blockIndex, span }));
  });
}

function spoken(kind: "task" | "request", logIndex: number, blockIndex: number): SpokenPart {
  return { kind, key: `${kind}:${logIndex}:${blockIndex}`, logIndex, blockIndex, text: "", effect: "binds" };
}
