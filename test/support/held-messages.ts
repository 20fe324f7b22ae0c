/** Random messages that both of OpenAI's wires can hold without a loss. */
import fc from "fast-check";
import type { Block, Message } from "../../src/core/message/message.ts";

/** Never blank, and never ending in white space. */
const text = fc.string({ unit: "binary", maxLength: 20 }).map((value) => `·${value}·`);
const textBlock = text.map((value): Block => ({ type: "text", text: value }));
const imageBlock = fc.constantFrom<Block>(
  { type: "image", source: { type: "url", url: "https://example.invalid/a.png" } },
  { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" }, detail: "low" },
);

/** An object, a list, or a text that is no JSON. */
const input = fc.oneof(
  fc
    .dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3, noNullPrototype: true })
    .map((value): unknown => JSON.parse(JSON.stringify(value))),
  fc.array(fc.integer(), { maxLength: 2 }),
  text.map((value) => `{"path": "${value}`),
);

const call = fc.record({
  name: fc.constantFrom("read_file", "run-command"),
  input,
  output: fc.oneof(text, fc.constant(""), fc.array(textBlock, { minLength: 1, maxLength: 2 })),
});

const said = fc.oneof(text, fc.array(fc.oneof(textBlock, imageBlock), { minLength: 1, maxLength: 3 }));

const exchange = fc.oneof(
  fc
    .tuple(fc.oneof(text, fc.array(textBlock, { minLength: 2, maxLength: 3 })), said)
    .map(([reply, next]) => (): readonly Message[] => [
      { role: "assistant", content: reply },
      { role: "user", content: next },
    ]),
  fc
    .tuple(fc.array(textBlock, { maxLength: 2 }), fc.array(call, { minLength: 1, maxLength: 3 }))
    .map(([words, calls]) => (turn: number): readonly Message[] => [
      {
        role: "assistant",
        content: [
          ...words,
          ...calls.map(({ name, input }, at): Block => ({ type: "tool_use", id: `t${turn}-${at}`, name, input })),
        ],
      },
      {
        role: "user",
        content: calls.map(
          ({ output }, at): Block => ({ type: "tool_result", tool_use_id: `t${turn}-${at}`, content: output }),
        ),
      },
    ]),
);

/** A conversation in which the two take turns. */
export const heldMessages: fc.Arbitrary<readonly Message[]> = fc
  .tuple(said, fc.array(exchange, { maxLength: 6 }))
  .map(([first, exchanges]) => [{ role: "user", content: first }, ...exchanges.flatMap((build, turn) => build(turn))]);
