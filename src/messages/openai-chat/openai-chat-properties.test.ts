import fc from "fast-check";
import { expect, test } from "vitest";
import { heldMessages } from "../../../test/support/held-messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import type { Message } from "../../core/message/message.ts";
import { fromOpenAiChat, toOpenAiChat } from "./index.ts";

test("messages that the wire can hold come back as they were", () => {
  fc.assert(
    fc.property(heldMessages, (messages) => {
      expect(fromOpenAiChat(toOpenAiChat(messages).messages)).toEqual(messages);
    }),
    PROPERTY_RUNS,
  );
});

test("reasoning comes back too where the server wants it", () => {
  const thoughtful = heldMessages.map((messages) => messages.map(withReasoning));
  fc.assert(
    fc.property(thoughtful, (messages) => {
      const prompt = toOpenAiChat(messages, { reasoning: "reasoning_content" });
      expect(fromOpenAiChat(prompt.messages)).toEqual(messages);
    }),
    PROPERTY_RUNS,
  );
});

function withReasoning(message: Message): Message {
  if (message.role === "user" || typeof message.content === "string") return message;
  return { ...message, content: [{ type: "reasoning", text: "Hm." }, ...message.content] };
}
