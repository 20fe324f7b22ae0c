/** Random conversations that a provider would accept, and the turns they are made of. */
import fc from "fast-check";
import type { Block, Message } from "../../src/core/message/message.ts";

export type Turn = readonly Message[];

/** One tool call as generated: ids are given when the turn takes its place in a conversation. */
interface CallPlan {
  readonly name: string;
  readonly input: unknown;
  readonly output: string | readonly Block[];
  readonly isError: boolean;
}

interface SayPlan {
  readonly type: "say";
  readonly role: Message["role"];
  readonly content: string | readonly Block[];
  readonly extra: object;
}

interface ToolsPlan {
  readonly type: "tools";
  readonly before: readonly Block[];
  readonly calls: readonly CallPlan[];
  readonly after: readonly Block[];
  /** Each result in a message of its own, as some agents send them. */
  readonly isSpread: boolean;
  readonly extra: object;
}

export type TurnPlan = SayPlan | ToolsPlan;

const text = fc
  .oneof(
    { weight: 4, arbitrary: fc.string({ maxLength: 60 }) },
    { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "\ud800 lone",
        "null \u0000 byte",
        "家族 👨‍👩‍👧‍👦 は元気",
        '{"a":[1,2,3]}',
        "<|endoftext|>",
      ),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.string({ minLength: 1, maxLength: 20 }), fc.integer({ min: 20, max: 200 }))
        .map(([unit, times]) => unit.repeat(times)),
    },
  )
  // Never blank, never ending in white space: providers refuse both.
  .map((value) => `·${value}·`);

// A few long outputs occur again and again, as files that an agent reads twice.
const repeatedOutput = fc.constantFrom("alpha\n", "beta = 2;\n", "日志 line\n").map((line) => line.repeat(90));

const textBlock = text.map((value): Block => ({ type: "text", text: value }));
const imageBlock = fc.oneof(
  fc
    .string({ maxLength: 40 })
    .map((data): Block => ({ type: "image", source: { type: "base64", media_type: "image/png", data } })),
  fc.constant<Block>({ type: "image", source: { type: "url", url: "https://example.invalid/a.png" } }),
);
const unknownBlock = fc
  .record({ payload: fc.jsonValue({ maxDepth: 2 }) })
  .map((fields): Block => ({ type: "server_side_search", ...fields }));
const reasoningBlock = fc
  .tuple(text, fc.string({ minLength: 8, maxLength: 20 }))
  .map(([value, signature]): Block => Object.assign({ type: "reasoning" as const, text: value }, { signature }));
const cachedTextBlock = text.map(
  (value): Block => Object.assign({ type: "text" as const, text: value }, { cache_control: { type: "ephemeral" } }),
);

const extra = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ important: true }) },
  { weight: 1, arbitrary: fc.record({ output_config: fc.jsonValue({ maxDepth: 1 }) }) },
);

const call = fc.record<CallPlan>({
  name: fc.constantFrom("read_file", "run_command", "search", "mystery"),
  input: fc.oneof(
    fc.constant({ path: "src/a.ts" }),
    fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3, noNullPrototype: true }),
    text.map((content) => ({ path: "b.ts", content })),
  ),
  output: fc.oneof(text, repeatedOutput, fc.array(fc.oneof(textBlock, imageBlock, unknownBlock), { maxLength: 3 })),
  isError: fc.boolean(),
});

const say = (role: Message["role"]) =>
  fc.record<SayPlan>({
    type: fc.constant("say"),
    role: fc.constant(role),
    content: fc.oneof(
      text,
      fc.array(
        role === "user"
          ? fc.oneof(textBlock, imageBlock, unknownBlock)
          : fc.oneof(reasoningBlock, textBlock, cachedTextBlock),
        { minLength: 1, maxLength: 3 },
      ),
    ),
    extra,
  });

const tools = fc.record<ToolsPlan>({
  type: fc.constant("tools"),
  before: fc.array(fc.oneof(reasoningBlock, textBlock, unknownBlock), { maxLength: 2 }),
  calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  after: fc.array(fc.oneof(textBlock, imageBlock), { maxLength: 1 }),
  isSpread: fc.boolean(),
  extra,
});

export const turnPlan: fc.Arbitrary<TurnPlan> = fc.oneof(
  { weight: 2, arbitrary: say("user") },
  { weight: 2, arbitrary: say("assistant") },
  { weight: 4, arbitrary: tools },
);

/** A user's opening message followed by up to twenty turns. */
export const conversationPlan: fc.Arbitrary<readonly TurnPlan[]> = fc
  .tuple(say("user"), fc.array(turnPlan, { maxLength: 20, size: "max" }))
  .map(([first, rest]) => [first, ...rest]);

/** Builds the messages of turns, with ids that follow from their place. */
export function buildTurns(plans: readonly TurnPlan[], firstTurn = 0): readonly Turn[] {
  return plans.map((plan, index) => buildTurn(plan, firstTurn + index));
}

function buildTurn(plan: TurnPlan, turn: number): Turn {
  const ts = 1_000 + turn * 10;
  const id = `m${turn}`;
  if (plan.type === "say") return [{ id, ts, role: plan.role, content: plan.content, ...plan.extra }];
  const calls = plan.calls.map(
    (each, index): Block => ({ type: "tool_use", id: `t${turn}-${index}`, name: each.name, input: each.input }),
  );
  const results = plan.calls.map(
    ({ output, isError }, index): Block => ({
      type: "tool_result",
      tool_use_id: `t${turn}-${index}`,
      content: output,
      ...(isError ? { is_error: true } : {}),
    }),
  );
  const answers = plan.isSpread ? results.map((result) => [result]) : [results];
  return [
    { id: `${id}-call`, ts, role: "assistant", content: [...plan.before, ...calls], ...plan.extra },
    ...answers.map(
      (content, index): Message => ({
        id: `${id}-result-${index}`,
        ts: ts + 1 + index,
        role: "user",
        content: index === answers.length - 1 ? [...content, ...plan.after] : content,
      }),
    ),
  ];
}

/** An assistant message whose call has no result yet. */
export function openCall(turn: number): Message {
  return {
    id: `m${turn}-open`,
    ts: 1_000 + turn * 10,
    role: "assistant",
    content: [
      { type: "text", text: "running it" },
      { type: "tool_use", id: `t${turn}-open`, name: "run_command", input: { command: "make" } },
    ],
  };
}
