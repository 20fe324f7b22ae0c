import { messageName } from "../../core/history/message-name.ts";
import { isStandIn } from "../../core/message/effective-view.ts";
import type { Message } from "../../core/message/message.ts";
import { findId } from "../terminal/find-id.ts";

/** The name of the message that a person means: by its id or the beginning of it, or for a message without an id by its place, as `#3`. */
export function findMessageName(given: string, log: readonly Message[]): string {
  const names = log.flatMap((message, place) => (isStandIn(message) ? [] : [messageName(message, place)]));
  return findId(given, names, "message");
}
