/** Requests of OpenAI's Chat Completions as agents send them, by chance. */
import fc from "fast-check";

const words = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }).map((part) => `${part}.`),
  fc
    .tuple(fc.constantFrom("alpha beta ", 'log "line"\n', "漢字😀", "\\u0041"), fc.integer({ min: 1, max: 150 }))
    .map(([part, times]) => `${part.repeat(times)}.`),
);
const marks = fc.constantFrom({}, {}, { cache_control: { type: "ephemeral" } });
const textPart = fc.tuple(words, marks).map(([text, mark]) => ({ type: "text", text, ...mark }));
const mediaPart = fc.constantFrom(
  { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(800)}`, detail: "low" } },
  { type: "image_url", image_url: { url: "https://x/y.png" } },
  { type: "file", file: { file_id: "file-1" } },
);
const content = fc.oneof(
  words,
  fc.array(textPart, { minLength: 1, maxLength: 2 }),
  fc.array(fc.oneof(textPart, mediaPart), { minLength: 1, maxLength: 3 }),
);
const aside = fc.option(words, { freq: 4, nil: undefined });

const exchange = fc.record({
  ask: fc.option(content, { freq: 1, nil: undefined }),
  aside,
  said: fc.oneof(fc.constantFrom(null, ""), words, fc.array(textPart, { minLength: 1, maxLength: 2 })),
  reasoning: words,
  calls: fc.array(
    fc.record({
      args: fc.oneof(
        fc.constantFrom('{ "path": "a.ts" }', '{"path":"b.ts"}', "", "not json"),
        words.map((text) => JSON.stringify({ path: "c.ts", text })),
      ),
      result: fc.oneof(content, fc.constantFrom("", "same ".repeat(80))),
      extra: fc.constantFrom({}, { extra_content: { google: { thought_signature: "c2ln" } } }),
      isCustom: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  resultAside: aside,
});
type Exchange = typeof exchange extends fc.Arbitrary<infer Value> ? Value : never;

/** What differs between the servers of this wire. */
export interface ChatShape {
  readonly model: string;
  readonly hasReasoning: boolean;
}

function itemsOf(
  { ask, said, calls, ...rest }: Exchange,
  turn: number,
  { hasReasoning }: ChatShape,
): readonly object[] {
  const system = (text: string | undefined) => (text === undefined ? [] : [{ role: "system", content: text }]);
  const made = calls.map(({ args, extra, isCustom }, index) => {
    const id = `call_${turn}_${index}`;
    if (isCustom) return { id, type: "custom", custom: { name: "patch", input: args } };
    return { id, type: "function", function: { name: "read_file", arguments: args }, ...extra };
  });
  const results = calls.map(({ result }, index) => {
    return { role: "tool", tool_call_id: `call_${turn}_${index}`, content: result };
  });
  return [
    ...(ask === undefined && calls.length > 0 && turn > 0 ? [] : [{ role: "user", content: ask ?? "Go on." }]),
    ...system(rest.aside),
    {
      role: "assistant",
      ...(hasReasoning && { reasoning_content: rest.reasoning }),
      content: calls.length === 0 ? said || "Done." : said,
      ...(calls.length > 0 && { tool_calls: made }),
    },
    ...results,
    ...(results.length > 0 ? system(rest.resultAside) : []),
  ];
}

/** Bodies as clients in several languages write them: with and without white space, escaped or not. */
export function chatBodies(shape: ChatShape): fc.Arbitrary<string> {
  return fc
    .record({
      exchanges: fc.array(exchange, { minLength: 1, maxLength: 5 }),
      system: fc.array(words, { maxLength: 2 }),
      indent: fc.constantFrom(0, 1, "\t"),
      isEscaped: fc.boolean(),
    })
    .map(({ exchanges, system, indent, isEscaped }) => {
      const messages = [
        ...system.map((text) => ({ role: "system", content: text })),
        ...exchanges.flatMap((each, turn) => itemsOf(each, turn, shape)),
        { role: "user", content: "And now?" },
      ];
      const body = JSON.stringify({ temperature: 1, messages, model: shape.model, user: "u" }, null, indent);
      return isEscaped ? body.replaceAll(/[^\0-\x7f]/g, escapeUnit) : body;
    });
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** OpenAI refuses fields that are not its own; DeepSeek demands the reasoning of calls. */
export const CHAT_SHAPES = {
  openai: { model: "gpt-5-mini", hasReasoning: false },
  deepseek: { model: "deepseek-reasoner", hasReasoning: true },
} satisfies Record<string, ChatShape>;
