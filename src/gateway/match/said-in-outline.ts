import type { Message } from "../../core/message/message.ts";
import { hashKeys, type LogOutline, type SaidStretch } from "../../engine/session/log-outline.ts";
import type { SaidMessages } from "./log-facts.ts";

/**
 * The messages of a log of which only the outline is read, where a request repeats all of them word for word; undefined where it does not: then the
 * log itself has to be read.
 */
export function saidInOutline(outline: LogOutline, fingerprints: readonly string[]): SaidMessages | undefined {
  if (!beginsWith(fingerprints, outline)) return undefined;
  const { saidMessages: count, saidTokens } = outline;
  let visible: ReadonlyMap<number | undefined, Message> | undefined;
  return {
    count,
    at: (index) => {
      visible ??= new Map(outline.visible.map(({ place, message }) => [place, message]));
      return visible.get(index);
    },
    fingerprintAt: (index) => (index < count ? fingerprints[index] : undefined),
    tokens: () => saidTokens,
  };
}

function beginsWith(fingerprints: readonly string[], { saidMessages, stretches, newestKeys }: LogOutline): boolean {
  if (fingerprints.length < saidMessages) return false;
  const start = saidMessages - newestKeys.length;
  return newestKeys.every((key, index) => key === fingerprints[start + index]) && hasStretches(fingerprints, stretches);
}

/** Caches the fingerprints that were found to match the hashes of stretches: an agent repeats all of them with each request. */
const matchedFingerprints = new WeakMap<readonly SaidStretch[], readonly string[]>();

function hasStretches(fingerprints: readonly string[], stretches: readonly SaidStretch[]): boolean {
  const matched = matchedFingerprints.get(stretches);
  if (matched !== undefined) return matched.every((each, index) => each === fingerprints[index]);
  let start = 0;
  for (const { messages, hash } of stretches) {
    if (hashKeys(fingerprints.slice(start, start + messages)) !== hash) return false;
    start += messages;
  }
  matchedFingerprints.set(stretches, fingerprints.slice(0, start));
  return true;
}
