import fc from "fast-check";
import { expect, test } from "vitest";
import { heldMessages } from "../../../test/support/held-messages.ts";
import { PROPERTY_RUNS } from "../../../test/support/property-runs.ts";
import { type Block, type Content, isKnownBlock, type Message, type TextBlock } from "../../core/message/message.ts";
import { isToolResult } from "../../core/message/tool-pairs.ts";
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
  const thoughtful = heldMessages.map((messages) => messages.map(asPlain).map(withReasoning));
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

/** As servers take it that have texts as strings. */
function asPlain(message: Message): Message {
  if (typeof message.content === "string") return message;
  const content = message.content.map((block) =>
    isToolResult(block) && block.content !== undefined ? { ...block, content: plain(block.content) } : block,
  );
  if (content.every(isText)) return { ...message, content: plain(content) };
  const texts = content.filter(isText);
  const isReply = message.role === "assistant" && texts.length > 1;
  const said: Block = { type: "text", text: plain(texts) };
  return { ...message, content: isReply ? [said, ...content.filter((block) => !isText(block))] : content };
}

function plain(content: Content): string {
  return typeof content === "string"
    ? content
    : content.flatMap((block) => (isText(block) ? block.text : [])).join("\n\n");
}

function isText(block: Block): block is TextBlock {
  return isKnownBlock(block) && block.type === "text";
}
