/** What goes through a converter and back is the same, on every wire. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Block, Message } from "../../src/core/message/message.ts";
import { isToolResult } from "../../src/core/message/tool-pairs.ts";
import { isMessageWire, type MessageWire, WIRES } from "../../src/messages/wires.ts";
import { MESSAGE_WIRES } from "../support/message-wires.ts";
import { deepFreeze } from "../support/messages.ts";
import { PROPERTY_RUNS } from "../support/property-runs.ts";
import { buildTurns, conversationPlan, OPEN_CALL } from "./conversations.ts";
import { damage, damaged } from "./damage.ts";

const wires: readonly MessageWire[] = Object.keys(WIRES).filter(isMessageWire);

/** What is sent for these messages, and what is sent for those that come back from it. */
function sentTwice<Wire extends MessageWire>(wire: Wire, messages: readonly Message[]) {
  const { to, from } = MESSAGE_WIRES[wire];
  const prompt = to(messages);
  return { prompt, again: to(from(prompt)) };
}

/** The messages that come back from what is sent for these. */
function returned<Wire extends MessageWire>(wire: Wire, messages: readonly Message[]): readonly Message[] {
  const { to, from } = MESSAGE_WIRES[wire];
  return from(to(messages));
}

const conversation = fc
  .record({ plan: conversationPlan, isOpen: fc.boolean(), damages: fc.array(damage, { maxLength: 2 }) })
  .map(({ plan, isOpen, damages }) =>
    deepFreeze(damages.reduce(damaged, [...buildTurns(plan), ...(isOpen ? [OPEN_CALL] : [])])),
  );

const words = fc.string({ maxLength: 30 }).map((said) => `·${said}·`);
const said = words.map((text): Block => ({ type: "text", text }));
const image = fc
  .constantFrom("image/png", "image/jpeg", "image/webp")
  .map(
    (mediaType): Block => ({ type: "image", source: { type: "base64", media_type: mediaType, data: "iVBORw0KGgo=" } }),
  );

/** One exchange of what every wire can hold: a question, a reply, calls with their results, thoughts as this wire signs them. */
function exchanges(thought: (text: string) => Block): fc.Arbitrary<readonly Message[]> {
  const exchange = fc.record({
    question: fc.array(fc.oneof(said, image), { minLength: 1, maxLength: 2 }),
    thoughts: fc.array(words.map(thought), { maxLength: 1 }),
    reply: said,
    calls: fc.array(
      fc.record({
        input: fc
          .dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2, noNullPrototype: true })
          // No JSON holds the number -0.
          .map((value): unknown => JSON.parse(JSON.stringify(value))),
        output: words,
        isError: fc.boolean(),
      }),
      {
        maxLength: 2,
      },
    ),
  });
  return fc.array(exchange, { minLength: 1, maxLength: 5 }).map((all) =>
    all.flatMap(({ question, thoughts, reply, calls }, turn): readonly Message[] => {
      const ids = calls.map((_, index) => `call_${turn}_${index}`);
      const uses = calls.map(
        ({ input }, index): Block => ({ type: "tool_use", id: ids[index] ?? "", name: "read_file", input }),
      );
      const results = calls.map(
        ({ output, isError }, index): Block => ({
          type: "tool_result",
          tool_use_id: ids[index] ?? "",
          content: output,
          ...(isError && { is_error: true }),
        }),
      );
      const work: readonly Message[] =
        results.length === 0
          ? []
          : [
              { role: "user", content: results },
              { role: "assistant", content: [{ type: "text", text: "·done·" }] },
            ];
      return [
        { role: "user", content: question },
        { role: "assistant", content: [...thoughts, reply, ...uses] },
        ...work,
      ];
    }),
  );
}

/** Thoughts as each wire gives them. */
const THOUGHTS: { readonly [Wire in MessageWire]: (text: string) => Block } = {
  "ai-sdk": (text) => ({ type: "reasoning", text, signature: "c2lnbmVk" }),
  anthropic: (text) => ({ type: "reasoning", text, signature: "c2lnbmVk" }),
  gemini: (text) => ({ type: "reasoning", text, thought: true }),
  "openai-chat": (text) => ({ type: "reasoning", text }),
  "openai-responses": (text) => ({ type: "reasoning", text }),
  langchain: (text) => ({ type: "reasoning", text, signature: "c2lnbmVk" }),
};

/** What of such messages a wire can hold, where that is not all. */
const HELD: { readonly [Wire in MessageWire]?: (message: Message) => Message } = {
  "openai-chat": withoutThoughts,
  "openai-responses": (message) => {
    const { role, content } = withoutThoughts(message);
    const [block] = content;
    // A reply of one text is the same as that text.
    const isText = role === "assistant" && content.length === 1 && typeof block === "object" && "text" in block;
    return { role, content: isText ? String(block.text) : content };
  },
};

/** OpenAI takes no thoughts but its own, which are tested with its converters, and is not told of errors. */
function withoutThoughts({ role, content }: Message): Message {
  const blocks: readonly Block[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const kept = blocks.filter(({ type }) => type !== "reasoning");
  return {
    role,
    content: kept.map((block) => {
      if (!isToolResult(block)) return block;
      const { is_error: _, ...result } = block;
      return result;
    }),
  };
}

describe.each(wires)("%s", (wire) => {
  test("what was sent is sent again the same when it comes back", () => {
    const property = fc.property(conversation, (messages) => {
      const { prompt, again } = sentTwice(wire, messages);
      expect(again).toEqual(prompt);
    });
    fc.assert(property, PROPERTY_RUNS);
  });

  test("messages that it can hold come back as they were", () => {
    const held = exchanges(THOUGHTS[wire]).map((messages) => messages.map(HELD[wire] ?? ((message) => message)));
    const property = fc.property(held, (messages) => {
      expect(returned(wire, deepFreeze(messages))).toEqual(messages);
    });
    fc.assert(property, PROPERTY_RUNS);
  });
});
