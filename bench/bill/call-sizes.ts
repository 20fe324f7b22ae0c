import type { Message } from "palimpsest";
import type { CallSize } from "palimpsest/core";
import { measureStanding } from "palimpsest/evals";
import { tokensOfAll } from "./counted.ts";
import type { Setting } from "./policy.ts";
import type { RecordedSession } from "./recorded-sessions.ts";

/** What came with a call, and what binds the agent at that moment, as we count. */
interface CountedCall {
  readonly tokens: number;
  readonly standingTokens: number;
}

const counted = new WeakMap<RecordedSession, readonly CountedCall[]>();

/** A session's calls for the bills of `palimpsest/core`. Standing context counts with system prompt and tools: it stays in place. */
export function callSizes({ session, fixedTokens }: Setting): readonly CallSize[] {
  const { tokenRatio, calls } = session;
  let conversation = 0;
  let total = 0;
  return countCalls(session).map(({ tokens, standingTokens }, i): CallSize => {
    total += tokens;
    const grown = Math.max(0, total - standingTokens);
    const arrived = Math.max(0, grown - conversation);
    conversation = grown;
    return {
      atMs: calls[i]?.atMs ?? 0,
      fixedTokens: fixedTokens + tokenRatio * standingTokens,
      arrivedTokens: tokenRatio * arrived,
      outputTokens: calls[i]?.outputTokens ?? 0,
    };
  });
}

function countCalls(session: RecordedSession): readonly CountedCall[] {
  const known = counted.get(session);
  if (known !== undefined) return known;
  const log: Message[] = [];
  const sizes = session.calls.map(({ newMessages }) => {
    log.push(...newMessages);
    return { tokens: tokensOfAll(newMessages), standingTokens: measureStanding(log).tokens };
  });
  counted.set(session, sizes);
  return sizes;
}
