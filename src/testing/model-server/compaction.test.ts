import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ModelServer, startModelServer } from "../index.ts";

type BetaMessage = Anthropic.Beta.BetaMessageParam;

const LONG = "word ".repeat(51_000);
const QUESTION: BetaMessage = { role: "user", content: LONG };
const COMPACT = "compact-2026-01-12";
const SUMMARIZE = "compact-2026-09-04";
const CLEAR = "context-management-2025-06-27";

let server: ModelServer;
let anthropic: Anthropic;
let openai: OpenAI;

beforeEach(async () => {
  server = await startModelServer();
  anthropic = new Anthropic({ baseURL: server.url, apiKey: "key", maxRetries: 0, logLevel: "off" });
  openai = new OpenAI({ baseURL: server.baseUrls.openai, apiKey: "key", maxRetries: 0, logLevel: "off" });
});

afterEach(() => server.close());

const REQUEST = { model: "claude-opus-4-6", max_tokens: 100, messages: [QUESTION] };
const edit = (fields: object = {}) => ({
  type: "compact_20260112" as const,
  trigger: { type: "input_tokens" as const, value: 50_000 },
  ...fields,
});

const refusalOf = (promise: Promise<unknown>) => promise.then(() => "", String);

describe("Anthropic's compact_20260112", () => {
  const compacting = (messages: BetaMessage[], fields: object = {}) => ({
    ...REQUEST,
    messages,
    betas: [COMPACT],
    context_management: { edits: [edit(fields)] },
  });

  test("puts a summary before the reply once the prompt has reached the trigger, streamed or not", async () => {
    const whole = await anthropic.beta.messages.create(compacting([QUESTION]));
    expect(whole.content.map(({ type }) => type)).toEqual(["compaction", "text"]);
    expect(whole).toMatchObject({ stop_reason: "end_turn", usage: { iterations: [{ type: "compaction" }, {}] } });
    const streamed = await anthropic.beta.messages.stream(compacting([QUESTION])).finalMessage();
    expect(streamed.content).toEqual(whole.content);
    const short = await anthropic.beta.messages.create(compacting([{ role: "user", content: "Hi" }]));
    expect(short.content.map(({ type }) => type)).toEqual(["text"]);
  });

  test("pauses after the summary where it is told to", async () => {
    const paused = await anthropic.beta.messages.create(compacting([QUESTION], { pause_after_compaction: true }));
    expect(paused.content.map(({ type }) => type)).toEqual(["compaction"]);
    expect(paused.stop_reason).toBe("compaction");
  });

  test("reads nothing that stands before the summary, whether it is sent or left out", async () => {
    const { content } = await anthropic.beta.messages.create(compacting([QUESTION]));
    const next: BetaMessage[] = [
      { role: "assistant", content },
      { role: "user", content: "And now?" },
    ];
    await anthropic.beta.messages.create(compacting([QUESTION, ...next]));
    await anthropic.beta.messages.create(compacting(next));
    const [, whole, dropped] = server.requests.map(({ promptTokens }) => promptTokens);
    expect(whole).toBeLessThan(500);
    expect(dropped).toBe(whole);
  });

  test("refuses a summary that was changed, and edits of another shape or without their beta", async () => {
    const { content } = await anthropic.beta.messages.create(compacting([QUESTION]));
    const [block] = content;
    const changed = { ...block, content: "I said nothing." } as Anthropic.Beta.BetaCompactionBlockParam;
    const sent: BetaMessage[] = [
      { role: "assistant", content: [changed] },
      { role: "user", content: "?" },
    ];
    expect(await refusalOf(anthropic.beta.messages.create(compacting(sent)))).toContain("differs");
    const low = { trigger: { type: "input_tokens", value: 10 } };
    expect(await refusalOf(anthropic.beta.messages.create(compacting([QUESTION], low)))).toContain("50000");
    const withoutBeta = { ...compacting([QUESTION]), betas: [CLEAR] };
    expect(await refusalOf(anthropic.beta.messages.create(withoutBeta))).toContain("compact_20260112");
    expect(await refusalOf(anthropic.beta.messages.create(compacting([QUESTION], { keep: 3 })))).toContain("keep");
  });
});

describe("Anthropic's request for a compaction", () => {
  const summarizing = { ...REQUEST, betas: [SUMMARIZE], compaction: { type: "summarize" as const } };

  test("may end with the assistant, also for a model that takes no prefill", async () => {
    const messages = [QUESTION, { role: "assistant" as const, content: "So." }];
    expect((await anthropic.beta.messages.create({ ...summarizing, messages })).stop_reason).toBe("compaction");
    await expect(anthropic.beta.messages.create({ ...REQUEST, messages })).rejects.toThrow(/assistant message prefill/);
  });

  test("answers with a signed block alone, which takes the place of what it summarizes", async () => {
    const reply = await anthropic.beta.messages.create(summarizing);
    expect(reply).toMatchObject({ stop_reason: "compaction", content: [{ type: "compaction", tool_changes: [] }] });
    const streamed = await anthropic.beta.messages.stream(summarizing).finalMessage();
    expect(streamed.content).toEqual(reply.content);
    const block: BetaMessage = { role: "assistant", content: reply.content };
    const next = { ...REQUEST, betas: [SUMMARIZE], messages: [block, { role: "user" as const, content: "Go on." }] };
    await anthropic.beta.messages.create(next);
    const misplaced = { ...next, messages: [QUESTION, ...next.messages] };
    expect(await refusalOf(anthropic.beta.messages.create(misplaced))).toContain("first block");
    const both = { ...summarizing, context_management: { edits: [] } };
    expect(await refusalOf(anthropic.beta.messages.create(both))).toContain("cannot be combined");
  });
});

describe("Anthropic's clearing", () => {
  const call = (id: string): BetaMessage[] => [
    { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { path: id } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "word ".repeat(300) }] },
  ];
  const tools = [{ name: "read", input_schema: { type: "object" as const } }];
  const messages = [{ role: "user" as const, content: "Go." }, ...["a", "b", "c"].flatMap(call)];

  test("hides the oldest results, reports them, and leaves the newest", async () => {
    const edits = [
      {
        type: "clear_tool_uses_20250919" as const,
        trigger: { type: "tool_uses" as const, value: 2 },
        keep: { type: "tool_uses" as const, value: 1 },
      },
    ];
    const cleared = { ...REQUEST, tools, messages, betas: [CLEAR], context_management: { edits } };
    const reply = await anthropic.beta.messages.create(cleared);
    expect(reply.context_management?.applied_edits).toEqual([
      { type: "clear_tool_uses_20250919", cleared_tool_uses: 2, cleared_input_tokens: expect.any(Number) },
    ]);
    expect(server.requests[0]?.promptTokens).toBeLessThan(500);
    const { betas: _, ...counted } = cleared;
    const { max_tokens: __, ...asked } = counted;
    const count = await anthropic.beta.messages.countTokens({ ...asked, betas: [CLEAR] });
    expect(count.context_management?.original_input_tokens).toBeGreaterThan(900);
  });
});

describe("OpenAI's compaction", () => {
  const input: OpenAI.Responses.ResponseInputItem[] = [
    { role: "user", content: "word ".repeat(1_500) },
    { role: "assistant", content: "Done." },
    { role: "user", content: "And now?" },
  ];
  const compacting = {
    model: "gpt-5.4",
    input,
    context_management: [{ type: "compaction", compact_threshold: 1_000 }],
  };

  test("puts an opaque item before the reply, streamed or not, and reads nothing before it", async () => {
    const whole = await openai.responses.create(compacting);
    expect(whole.output.map(({ type }) => type)).toEqual(["compaction", "message"]);
    const types: string[] = [];
    for await (const event of await openai.responses.create({ ...compacting, stream: true })) types.push(event.type);
    expect(types).toContain("response.compaction.compacting");
    const next = [...input, ...whole.output, { role: "user" as const, content: "More." }];
    await openai.responses.create({ ...compacting, input: next as typeof input });
    expect(server.requests.at(-1)?.promptTokens).toBeLessThan(100);
  });

  test("gives a window of the user's messages and the item, and takes it back as it is", async () => {
    const { output, object } = await openai.responses.compact({ model: "gpt-5.4", input });
    expect(object).toBe("response.compaction");
    expect(output.map(({ type }) => type)).toEqual(["message", "message", "compaction"]);
    const next = [...output, { role: "user" as const, content: "More." }] as typeof input;
    await openai.responses.create({ model: "gpt-5.4", input: next });
    expect(server.requests.map(({ operation }) => operation)).toEqual(["compact", "generate"]);
    expect(server.requests.at(-1)?.promptTokens).toBeGreaterThan(1_500);
    const changed = next.map((item) => (item.type === "compaction" ? { ...item, id: "cmp_other" } : item));
    expect(await refusalOf(openai.responses.create({ model: "gpt-5.4", input: changed }))).toContain("verified");
  });

  test("compacts where the last item asks for it, and refuses what has another shape", async () => {
    const trigger = { type: "compaction_trigger" as const };
    const { output } = await openai.responses.create({ model: "gpt-5.4", input: [...input, trigger] });
    expect(output.map(({ type }) => type)).toEqual(["compaction"]);
    const early = openai.responses.create({ model: "gpt-5.4", input: [trigger, ...input] });
    expect(await refusalOf(early)).toContain("final input item");
    const other = openai.responses.create({ ...compacting, context_management: [{ type: "summary" }] });
    expect(await refusalOf(other)).toContain("context_management[0].type");
  });
});
