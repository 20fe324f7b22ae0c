import { collectStandIns, isHidden, isStandIn } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import type { WirePart, WireRequest } from "../../core/ports/wire-adapter.ts";

/** The messages of a request with their indexes as ids, by which they are found after a fold. */
export function numberedLog(messages: readonly Message[]): readonly Message[] {
  return messages.map((message, index) => ({ ...message, id: `m${index}`, ts: (index + 1) * 1_000 }));
}

/** The canonical text of each message of a request. */
export function canonicalTexts({ messages, canonical }: WireRequest): readonly string[] {
  return messages.map((_, index) => canonical(index));
}

/** The parts to send for a log that began as a {@link numberedLog}. */
export function wireParts(log: readonly Message[]): readonly WirePart[] {
  const standIns = collectStandIns(log);
  return log.filter((message) => !isHidden(message, standIns)).map(wirePart);
}

function wirePart(message: Message): WirePart {
  if (isStandIn(message)) return { type: "stand-in", message };
  const index = Number(message.id?.slice(1));
  const { folds = [] } = message;
  return folds.length === 0 ? { type: "original", index } : { type: "folded", index, folds };
}
