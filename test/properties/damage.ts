/** What goes wrong in the logs of agents: they are killed between a call and its result, send twice, or lose a message. */
import fc from "fast-check";
import type { Message } from "../../src/core/message/message.ts";

/** One way in which logs of agents are damaged, at a place. */
export interface Damage {
  readonly kind: "lose" | "double" | "move" | "blank" | "empty" | "reply first" | "same id" | "cut";
  readonly at: number;
}

export const damage = fc.record<Damage>({
  kind: fc.constantFrom("lose", "double", "move", "blank", "empty", "reply first", "same id", "cut"),
  at: fc.nat(),
});

export function damaged(messages: readonly Message[], { kind, at }: Damage): readonly Message[] {
  const index = at % Math.max(1, messages.length);
  const message = messages[index];
  if (message === undefined) return messages;
  const others = messages.toSpliced(index, 1);
  const place = (at >> 8) % messages.length;
  switch (kind) {
    case "lose":
      return others;
    case "double":
      return messages.toSpliced(place, 0, message);
    case "move":
      return others.toSpliced(place, 0, message);
    case "blank":
      return messages.with(index, { ...message, content: " \n" });
    case "empty":
      return messages.with(index, { ...message, content: [] });
    case "reply first":
      return [{ role: "assistant", content: "Hello." }, ...messages];
    case "same id":
      return messages.with(index, JSON.parse(JSON.stringify(message).replaceAll(/"t\d+-\d+"/g, '"t0-0"')));
    case "cut":
      return typeof message.content === "string"
        ? messages
        : messages.with(index, { ...message, content: message.content.slice(1) });
  }
}
