import { messageName } from "../../core/history/message-name.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { findId } from "../terminal/find-id.ts";

/** The name of the message that is meant: its id or the beginning of it or, where it has none, `#3` for its place in the log. */
export function findMessageName(given: string, log: readonly Message[]): string {
  const names = log.flatMap((message, place) => (isStandIn(message) ? [] : [messageName(message, place)]));
  return findId(given, names, "message");
}
