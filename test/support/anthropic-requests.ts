/** Random requests as clients of Anthropic's Messages API send them. */
import fc from "fast-check";

type WireBlock = { readonly type: string; readonly [field: string]: unknown };
export type Item = { readonly role: string; readonly content: readonly WireBlock[]; readonly output_config?: unknown };

const words = fc
  .oneof(
    fc.string({ maxLength: 30 }),
    fc.string({ unit: "grapheme", maxLength: 20 }),
    fc
      .tuple(fc.constantFrom("alpha ", "β\n", '{"a":"\\\\"}'), fc.integer({ min: 20, max: 300 }))
      .map(([unit, times]) => unit.repeat(times)),
  )
  .map((value) => `·${value}·`);
const textBlock = words.map((text): WireBlock => ({ type: "text", text }));
const image: WireBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "QUJD".repeat(300) },
};
const mediaBlock = fc.constantFrom<WireBlock>(image, {
  type: "document",
  source: { type: "text", data: "d" },
  title: "t",
});
const thinking = words.map((text): WireBlock => ({ type: "thinking", thinking: text, signature: "c2ln" }));
const firstThought = fc.oneof(
  thinking,
  fc.constantFrom<WireBlock>(
    { type: "thinking", thinking: "", signature: "eA==" },
    { type: "redacted_thinking", data: "eHg=" },
  ),
);

const system = fc.option(
  fc.record({
    blocks: fc.array(textBlock, { minLength: 1, maxLength: 2 }),
    output_config: fc.constantFrom(undefined, { effort: "low" }),
  }),
  { nil: undefined, freq: 3 },
);
const step = fc.record({
  thoughts: fc.array(thinking, { maxLength: 1 }),
  said: fc.array(textBlock, { maxLength: 1 }),
  calls: fc.array(
    fc.record({
      input: fc.dictionary(fc.string({ maxLength: 5 }), fc.oneof(words, fc.jsonValue({ maxDepth: 1 })), {
        maxKeys: 2,
        noNullPrototype: true,
      }),
      output: fc.oneof(
        words,
        fc.constant("same\n".repeat(120)),
        fc.array(fc.oneof(textBlock, fc.constant(image)), { minLength: 1, maxLength: 3 }),
      ),
      is_error: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  after: fc.array(textBlock, { maxLength: 1 }),
  system,
});
const turn = fc.record({
  question: fc.array(fc.oneof({ weight: 3, arbitrary: textBlock }, { weight: 1, arbitrary: mediaBlock }), {
    minLength: 1,
    maxLength: 2,
  }),
  system,
  firstThought,
  steps: fc.array(step, { maxLength: 5 }),
  answer: textBlock,
});
/** Conversations that the provider would accept, also with a thinking budget. */
export const conversation = fc
  .record({ turns: fc.array(turn, { minLength: 1, maxLength: 4 }), isAnswered: fc.boolean() })
  .map(({ turns, isAnswered }) =>
    turns.flatMap((each, index) => buildTurn(each, index, isAnswered || index < turns.length - 1)),
  );

type Turn = typeof turn extends fc.Arbitrary<infer Value> ? Value : never;

/** A question, a tool loop that starts with thinking, and mostly an answer: what a client with a thinking budget sends. */
function buildTurn(
  { question, system, firstThought, steps, answer }: Turn,
  place: number,
  isAnswered: boolean,
): readonly Item[] {
  const aside = (said: Turn["system"]): readonly Item[] => {
    if (said === undefined) return [];
    const { blocks, output_config } = said;
    return [{ role: "system", content: blocks, ...(output_config !== undefined && { output_config }) }];
  };
  const loop = steps.flatMap(({ thoughts, said, calls, after, system }, index): readonly Item[] => {
    const named = calls.map((each, at) => ({ ...each, id: `t${place}-${index}-${at}` }));
    const called = named.map(({ id, input }): WireBlock => ({ type: "tool_use", id, name: "Read", input }));
    const results = named.map(({ id, output, is_error }): WireBlock => {
      // The API takes only words as an error.
      const isText = typeof output === "string" ? output !== "" : output.every(({ type }) => type === "text");
      return { type: "tool_result", tool_use_id: id, content: output, is_error: is_error && isText };
    });
    return [
      { role: "assistant", content: [...(index === 0 ? [firstThought] : thoughts), ...said, ...called] },
      { role: "user", content: [...results, ...after] },
      ...aside(system),
    ];
  });
  const asked = [{ role: "user", content: question }, ...aside(system)];
  const answered = isAnswered
    ? [{ role: "assistant", content: [...(steps.length === 0 ? [firstThought] : []), answer] }]
    : [];
  return [...asked, ...loop, ...answered, ...(isAnswered && place === 0 ? [{ role: "user", content: [answer] }] : [])];
}

/** How one request of a client differs from its next: which blocks are marked, what is a string, white space, escapes. */
export const manner = fc.record({
  marked: fc.array(fc.nat(200), { maxLength: 4 }),
  indent: fc.constantFrom(0, 1, "\t"),
  hasStrings: fc.boolean(),
  isEscaped: fc.boolean(),
});
type Manner = typeof manner extends fc.Arbitrary<infer Value> ? Value : never;

export function render(
  items: readonly Item[],
  { marked, indent, hasStrings, isEscaped }: Manner,
  hasBudget: boolean,
): string {
  let place = 0;
  const messages = items.map(({ content, ...item }) => {
    const blocks = content.map((block) => {
      const isMarkable = block.type === "text" || block.type === "tool_result";
      return isMarkable && marked.includes(place++) ? { ...block, cache_control: { type: "ephemeral" } } : block;
    });
    const [only] = blocks;
    const isString = hasStrings && blocks.length === 1 && only?.type === "text" && !("cache_control" in only);
    return { ...item, content: isString ? only.text : blocks };
  });
  const body = {
    model: "claude-haiku-4-5",
    max_tokens: 4_096,
    ...(hasBudget && { thinking: { type: "enabled", budget_tokens: 1_024 } }),
    messages,
    tools: [{ name: "Read", input_schema: { type: "object" } }],
  };
  const json = JSON.stringify(body, undefined, indent);
  return isEscaped ? json.replaceAll("·", "\\u00b7") : json;
}
