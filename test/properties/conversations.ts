/** Random conversations that a provider would accept, and the turns they are made of. */
import fc from "fast-check";
import type { Block, Message } from "../../src/core/message/message.ts";

/** One tool call as generated: ids are given when the turn takes its place in a conversation. */
interface CallPlan {
  /** What the model said or thought between the call before and this one. */
  readonly before: readonly Block[];
  readonly name: string;
  readonly input: unknown;
  readonly output: string | readonly Block[];
  readonly isError: boolean;
  /** Results come in the order of their ranks, as tools that run side by side finish in any order. */
  readonly rank: number;
}

interface SayPlan {
  readonly type: "say";
  readonly role: Message["role"];
  readonly content: string | readonly Block[];
  readonly extra: object;
}

interface ToolsPlan {
  readonly type: "tools";
  readonly calls: readonly CallPlan[];
  readonly after: readonly Block[];
  /** Each result in a message of its own, as some agents send them. */
  readonly isSpread: boolean;
  readonly extra: object;
}

export type TurnPlan = SayPlan | ToolsPlan;

/** Whether messages carry an id and a time: all of them, none, or those of every other turn. */
export interface Labels {
  readonly ids: Coverage;
  readonly times: Coverage;
}

type Coverage = "all" | "none" | "some";

export interface ConversationPlan {
  readonly turns: readonly TurnPlan[];
  readonly labels: Labels;
}

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
  before: fc.array(fc.oneof(reasoningBlock, textBlock, unknownBlock), { maxLength: 2 }),
  name: fc.constantFrom("read_file", "run_command", "search", "mystery"),
  input: fc.oneof(
    fc.constant({ path: "src/a.ts" }),
    fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3, noNullPrototype: true }),
    text.map((content) => ({ path: "b.ts", content })),
  ),
  output: fc.oneof(text, repeatedOutput, fc.array(fc.oneof(textBlock, imageBlock, unknownBlock), { maxLength: 3 })),
  isError: fc.boolean(),
  rank: fc.nat(9),
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

const coverage = fc.constantFrom<Coverage>("all", "all", "none", "some");

/** A user's opening message followed by up to twenty turns. */
export const conversationPlan: fc.Arbitrary<ConversationPlan> = fc.record({
  turns: fc
    .tuple(say("user"), fc.array(turnPlan, { maxLength: 20, size: "max" }))
    .map(([first, rest]) => [first, ...rest]),
  labels: fc.record<Labels>({ ids: coverage, times: coverage }),
});

/** Builds the messages of turns; their labels follow from their place. */
export function buildTurns({ turns, labels }: ConversationPlan, firstTurn = 0): readonly Message[] {
  return turns.flatMap((plan, index) => {
    const turn = firstTurn + index;
    return buildTurn(plan, turn).map((message, messageInTurn) => label(message, messageInTurn, { turn, labels }));
  });
}

function buildTurn(plan: TurnPlan, turn: number): readonly Message[] {
  if (plan.type === "say") return [{ role: plan.role, content: plan.content, ...plan.extra }];
  const exchanges = plan.calls.map((each, index) => ({ ...each, id: `t${turn}-${index}` }));
  const calls = exchanges.flatMap(({ before, id, name, input }): Block[] => [
    ...before,
    { type: "tool_use", id, name, input },
  ]);
  const results = exchanges
    .toSorted((one, other) => one.rank - other.rank)
    .map(
      ({ id, output, isError }): Block => ({
        type: "tool_result",
        tool_use_id: id,
        content: output,
        ...(isError ? { is_error: true } : {}),
      }),
    );
  const answers = plan.isSpread ? results.map((result) => [result]) : [results];
  return [
    { role: "assistant", content: calls, ...plan.extra },
    ...answers.map(
      (content, index): Message => ({
        role: "user",
        content: index === answers.length - 1 ? [...content, ...plan.after] : content,
      }),
    ),
  ];
}

interface Place {
  readonly turn: number;
  readonly labels: Labels;
}

function label(message: Message, messageInTurn: number, { turn, labels }: Place): Message {
  const covers = (coverage: Coverage) => coverage === "all" || (coverage === "some" && turn % 2 === 0);
  return {
    ...(covers(labels.ids) ? { id: `m${turn}-${messageInTurn}` } : {}),
    ...(covers(labels.times) ? { ts: 1_000 + turn * 10 + messageInTurn } : {}),
    ...message,
  };
}

/** An assistant message whose call has no result yet. */
export const OPEN_CALL: Message = {
  id: "open",
  ts: 99_000,
  role: "assistant",
  content: [
    { type: "text", text: "running it" },
    { type: "tool_use", id: "t-open", name: "run_command", input: { command: "make" } },
  ],
};
