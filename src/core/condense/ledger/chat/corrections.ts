import type { LogBlock } from "../log-blocks.ts";
import type { SourceLine } from "../source-lines.ts";
import type { ChatLine, ChatReader } from "./chat-lines.ts";

interface Place {
  readonly line: ChatLine;
  readonly number: number;
}

/** Which sentences of a conversation take back which earlier ones. */
export interface Corrections {
  /** The sentence that this one takes back, with the number of its message, if there is one. */
  takesBack(line: SourceLine): Place | undefined;
  /** The number of the message that takes this sentence back, if there is one. */
  takenBackIn(line: SourceLine): number | undefined;
}

const WEAK_CUE = /^(?:no|nope|actually|sorry|wait|hmm|oops|i meant?|my mistake)\b/i;
const STRONG_CUE =
  /\b(?:instead|changed my mind|change of plans?|new plan|scratch (?:that|this|all)|forget (?:that|it|about|what)|ignore (?:the earlier|everything|what)|correction|on second thought|final answer|no longer|let me revise|not anymore)\b/i;
const PROPOSAL =
  /\b(?:let's|let us|should|shall|will|we'll|i'll|going to|gonna|decided?|plan|choose|go with|prefer)\b/i;
/** How many messages back a weak cue such as "no" may refer, and a strong one. */
const REACH = 8;
const STRONG_REACH = 40;

/** Finds sentences that take back earlier ones: with a cue of it, and about the same or with another value. The nearest earlier one is meant. */
export function findCorrections(blocks: readonly LogBlock[], read: ChatReader): Corrections {
  const correcting = new Map<SourceLine, Place>();
  const corrected = new Map<SourceLine, number>();
  const earlier: (Place & { readonly message: number })[] = [];
  for (const [message, { source, number, lines }] of blocks.entries()) {
    if (number === undefined || (source !== "user" && source !== "assistant")) continue;
    const said = lines.flatMap(read);
    for (const line of said) {
      const isStrong = STRONG_CUE.test(line.text);
      if (!isStrong && !WEAK_CUE.test(line.text)) continue;
      const reach = message - (isStrong ? STRONG_REACH : REACH);
      const nearest = earlier.findLast((place) => place.message < reach || isTakenBack(place.line, line, isStrong));
      if (nearest === undefined || nearest.message < reach) continue;
      correcting.set(line, nearest);
      corrected.set(nearest.line, number);
    }
    for (const line of said) earlier.push({ line, message, number });
  }
  return { takesBack: (line) => correcting.get(line), takenBackIn: (line) => corrected.get(line) };
}

function isTakenBack(earlier: ChatLine, later: ChatLine, isStrong: boolean): boolean {
  if (isStrong && PROPOSAL.test(earlier.text) && PROPOSAL.test(later.text)) return true;
  const isOther = [...later.names].some((name) => !earlier.names.has(name));
  return isOther && sharedTerms(earlier, later) + Number(isSameKind(earlier, later)) > 0;
}

function sharedTerms(one: ChatLine, other: ChatLine): number {
  return one.identifiers.filter((term) => other.identifiers.includes(term)).length;
}

const NUMBER = /\p{N}/u;

/** Whether both give a number, as in "the 12th" and "no, the 14th". */
function isSameKind(one: ChatLine, other: ChatLine): boolean {
  return [one, other].every(({ names }) => [...names].some((name) => NUMBER.test(name)));
}
