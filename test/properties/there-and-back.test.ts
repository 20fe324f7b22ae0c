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

const PDF_BASE64 = "JVBERi0xLjQ=";
const PDF_SOURCE = { type: "base64", media_type: "application/pdf", data: PDF_BASE64 } as const;
const PDF_URL = `data:application/pdf;base64,${PDF_BASE64}`;
const DOCUMENT: Block = { type: "document", source: PDF_SOURCE };
const FILE: Block = { type: "image", source: PDF_SOURCE };

/** A PDF as each wire gives it. */
const PDFS: { readonly [Wire in MessageWire]: Block } = {
  "ai-sdk": FILE,
  anthropic: DOCUMENT,
  gemini: FILE,
  "openai-chat": { type: "file", file: { file_data: PDF_URL, filename: "a.pdf" } },
  "openai-responses": { type: "input_file", file_data: PDF_URL, filename: "a.pdf" },
  langchain: DOCUMENT,
};

/** What a system or a developer says inside of a conversation. */
const told = (role: "system" | "developer", text: string): Message => ({
  role: "user",
  content: [Object.assign({ type: "text" as const, text }, { role })],
});

/** Beside what people and models say: PDFs in the form of whichever wire, in a question and in a result, and other roles. */
const aside = fc.oneof(
  fc.constantFrom<"system" | "developer">("system", "developer").map((role) => [told(role, "·Be brief.·")]),
  fc
    .constantFrom(...Object.values(PDFS))
    .map((pdf): Message[] => [{ role: "user", content: [{ type: "text", text: "·Read this.·" }, pdf] }]),
  fc.constantFrom(...Object.values(PDFS)).map((pdf): Message[] => [
    { role: "assistant", content: [{ type: "tool_use", id: "aside", name: "read_file", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "aside", content: [pdf] }] },
  ]),
);

const conversation = fc
  .record({
    plan: conversationPlan,
    asides: fc.array(fc.tuple(aside, fc.nat()), { maxLength: 2 }),
    isOpen: fc.boolean(),
    damages: fc.array(damage, { maxLength: 2 }),
  })
  .map(({ plan, asides, isOpen, damages }) => {
    const said = asides.reduce(
      (messages, [added, at]) => messages.toSpliced(at % (messages.length + 1), 0, ...added),
      buildTurns(plan),
    );
    return deepFreeze(damages.reduce(damaged, [...said, ...(isOpen ? [OPEN_CALL] : [])]));
  });

const words = fc.string({ maxLength: 30 }).map((said) => `·${said}·`);
const said = words.map((text): Block => ({ type: "text", text }));
const image = fc
  .constantFrom("image/png", "image/jpeg", "image/webp")
  .map(
    (mediaType): Block => ({ type: "image", source: { type: "base64", media_type: mediaType, data: "iVBORw0KGgo=" } }),
  );

/** Which wires hold pictures in the results of tools; others show them behind these. */
const SHOWS_IN_RESULTS: readonly MessageWire[] = ["anthropic", "gemini", "langchain", "openai-responses"];
/** Which wires hold what a system or a developer says in the midst of a conversation. */
const ASIDES: { readonly [Wire in MessageWire]?: readonly ("system" | "developer")[] } = {
  "openai-chat": ["system", "developer"],
  "openai-responses": ["system", "developer"],
};

/** Exchanges of what a wire can hold: a question, a reply, calls with their results, and thoughts and PDFs as this wire writes them. */
function exchanges(wire: MessageWire): fc.Arbitrary<readonly Message[]> {
  const aside: fc.Arbitrary<readonly Message[]> = fc
    .constantFrom(undefined, ...(ASIDES[wire] ?? []))
    .map((role) => (role === undefined ? [] : [told(role, "·Be brief.·")]));
  // Gemini holds the words of a result apart from its pictures.
  const shown = fc
    .tuple(fc.array(said, { maxLength: 1 }), fc.array(image, { minLength: 1, maxLength: 2 }))
    .map((parts) => parts.flat());
  const exchange = fc.record({
    before: aside,
    question: fc.array(fc.oneof(said, image, fc.constant(PDFS[wire])), { minLength: 1, maxLength: 2 }),
    thoughts: fc.array(words.map(THOUGHTS[wire]), { maxLength: 1 }),
    reply: said,
    calls: fc.array(
      fc.record({
        input: fc
          .dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2, noNullPrototype: true })
          // No JSON holds the number -0.
          .map((value): unknown => JSON.parse(JSON.stringify(value))),
        output: SHOWS_IN_RESULTS.includes(wire) ? fc.oneof<fc.Arbitrary<string | Block[]>[]>(words, shown) : words,
        isError: fc.boolean(),
      }),
      {
        maxLength: 2,
      },
    ),
  });
  return fc.array(exchange, { minLength: 1, maxLength: 5 }).map((all) =>
    all.flatMap(({ before, question, thoughts, reply, calls }, turn): readonly Message[] => {
      const ids = calls.map((_, index) => `call_${turn}_${index}`);
      const uses = calls.map(
        ({ input }, index): Block => ({ type: "tool_use", id: ids[index] ?? "", name: "read_file", input }),
      );
      const results = calls.map(
        ({ output, isError }, index): Block => ({
          type: "tool_result",
          tool_use_id: ids[index] ?? "",
          content: output,
          // Anthropic takes no picture in a result that failed.
          ...(isError && typeof output === "string" && { is_error: true }),
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
        ...before,
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
    const held = exchanges(wire).map((messages) => messages.map(HELD[wire] ?? ((message) => message)));
    const property = fc.property(held, (messages) => {
      expect(returned(wire, deepFreeze(messages))).toEqual(messages);
    });
    fc.assert(property, PROPERTY_RUNS);
  });
});
