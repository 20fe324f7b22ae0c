import { describe, expect, test } from "vitest";
import { readTooLong } from "./too-long.ts";

/** What servers really say, and what is to be learned from it: prompt, then limit. */
const BY_TOKENS: readonly (readonly [string, string, number | undefined, number | undefined])[] = [
  ["Anthropic", "prompt is too long: 213462 tokens > 200000 maximum", 213_462, 200_000],
  [
    "Anthropic",
    "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
    188_240,
    200_000,
  ],
  [
    "OpenAI",
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens (130072 in the messages, 1000 in the functions). Please reduce the length of the messages or functions.",
    131_072,
    128_000,
  ],
  [
    "OpenAI",
    "This model's maximum context length is 4097 tokens, however you requested 4322 tokens (4066 in your prompt; 256 for the completion). Please reduce your prompt; or completion length.",
    4_066,
    4_097,
  ],
  [
    "OpenAI",
    "Input tokens exceed the configured limit of 272,000 tokens. Your messages resulted in 310,544 tokens. Please reduce the length of the messages.",
    310_544,
    272_000,
  ],
  [
    "Responses",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    undefined,
    undefined,
  ],
  [
    "DeepSeek",
    "This model's maximum context length is 131072 tokens. However, you requested 133034 tokens (125034 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.",
    125_034,
    131_072,
  ],
  [
    "Gemini",
    "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    1_196_265,
    1_048_575,
  ],
  ["Gemini", "The input token count exceeds the maximum number of tokens allowed 1048576.", undefined, 1_048_576],
  [
    "Vertex",
    "Unable to submit request because the input token count is 1234567 but model only supports up to 1048576. Reduce the input token count and try again.",
    1_234_567,
    1_048_576,
  ],
  ["Bedrock", "Input is too long for requested model.", undefined, undefined],
  [
    "Bedrock",
    "The model returned the following errors: prompt is too long: 207000 tokens > 200000 maximum",
    207_000,
    200_000,
  ],
  [
    "Bedrock",
    "400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 10321",
    10_321,
    8_192,
  ],
  [
    "OpenRouter",
    "This endpoint's maximum context length is 128000 tokens. However, you requested about 141500 tokens (131000 of text input, 2500 of tool input, 8000 in the output). Please reduce the length of either one.",
    133_500,
    128_000,
  ],
  ["xAI", "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 537_812, 131_072],
  [
    "Mistral",
    "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    65_673,
    32_768,
  ],
  ["Groq", "Please reduce the length of the messages or completion.", undefined, undefined],
  [
    "Cerebras",
    "Please reduce the length of the messages or completion. Current length is 10124 while limit is 8192",
    10_124,
    8_192,
  ],
  ["Copilot", "prompt token count of 391491 exceeds the limit of 128000", 391_491, 128_000],
  ["GitHub Models", "Request body too large for gpt-4o model. Max size: 8000 tokens.", undefined, 8_000],
  ["Fireworks", "The prompt is too long: 135427, model maximum context length: 131071", 135_427, 131_071],
  [
    "Together",
    "The input (263000 tokens) is longer than the model's context length (262144 tokens).",
    263_000,
    262_144,
  ],
  [
    "Moonshot",
    "Invalid request: Your request exceeded model token limit: 131072 (requested: 140021)",
    140_021,
    131_072,
  ],
  ["MiniMax", "invalid params, context window exceeds limit (2013)", undefined, undefined],
  ["Z.ai", "Prompt exceeds max length", undefined, undefined],
  [
    "DashScope",
    "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]",
    undefined,
    129_024,
  ],
  ["Poolside", "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.", 131_393, 131_040],
  ["compatible", "Input length (265330) exceeds model's maximum context length (262144).", 265_330, 262_144],
  [
    "SGLang",
    "Requested token count exceeds the model's maximum context length of 262144 tokens. You requested a total of 270000 tokens: 260000 tokens from the input messages and 10000 tokens for the completion.",
    260_000,
    262_144,
  ],
  [
    "vLLM",
    "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens, for a total of at least 262145 tokens.",
    262_145,
    262_144,
  ],
  [
    "vLLM",
    "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 7000 input tokens (4096 > 8192 - 7000).",
    7_000,
    8_192,
  ],
  ["vLLM", "The decoder prompt (length 35012) is longer than the maximum model length of 32768.", 35_012, 32_768],
  [
    "text-generation-inference",
    "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 7900 `inputs` tokens and 1000 `max_new_tokens`",
    7_900,
    8_193,
  ],
  [
    "llama.cpp",
    "request (9412 tokens) exceeds the available context size (8192 tokens), try increasing it",
    9_412,
    8_192,
  ],
  ["llama.cpp", "the request exceeds the available context size, try increasing it", undefined, undefined],
  ["llama-cpp-python", "Requested tokens (5011) exceed context window of 4096", 5_011, 4_096],
  [
    "LM Studio",
    "Trying to keep the first 5340 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
    5_340,
    4_096,
  ],
  [
    "LM Studio",
    "The number of tokens to keep from the initial prompt is greater than the context length.",
    undefined,
    undefined,
  ],
  ["Ollama", "prompt too long; exceeded max context length by 1204 tokens", undefined, undefined],
  ["Ollama", "the input length exceeds the context length", undefined, undefined],
  [
    "LiteLLM",
    "litellm.ContextWindowExceededError: AnthropicException - prompt is too long: 250000 tokens > 200000 maximum",
    250_000,
    200_000,
  ],
  ["rounded", "This model's maximum context length is 128k tokens.", undefined, 128_000],
  ["rounded", "This model's maximum context length is 1M tokens.", undefined, 1_000_000],
];

describe("a prompt with too many tokens", () => {
  test.each(BY_TOKENS)("%s: %s", (_, message, promptTokens, limitTokens) => {
    expect(readTooLong({ status: 400, message })).toEqual({
      isTooLong: true,
      by: "tokens",
      ...(promptTokens !== undefined && { promptTokens }),
      ...(limitTokens !== undefined && { limitTokens }),
    });
  });

  test.each(["context_length_exceeded", "model_max_prompt_tokens_exceeded", "exceed_context_size_error"])(
    "is known by the code %s, whatever the words",
    (code) => {
      expect(readTooLong({ message: "Bad Request", code })).toEqual({ isTooLong: true, by: "tokens" });
      expect(readTooLong({ message: "Bad Request", body: { error: { message: "no", code } } })).toMatchObject({
        by: "tokens",
      });
    },
  );

  test("is known also where the server calls it its own fault, or gives no status", () => {
    const message = "the request exceeds the available context size";
    for (const status of [500, undefined]) expect(readTooLong({ status, message })).toMatchObject({ isTooLong: true });
  });

  test("is read from a failed response event", () => {
    const message = "Your input exceeds the context window of this model.";
    const body = { type: "response.failed", response: { error: { code: "context_length_exceeded", message } } };
    expect(readTooLong({ message: "failed", body })).toEqual({ isTooLong: true, by: "tokens" });
  });

  test("is read from what a gateway quotes of another server, as text that is JSON", () => {
    const raw = JSON.stringify({ error: { message: "prompt is too long: 210,000 tokens > 200,000 maximum" } });
    const body = { error: { message: "Provider returned error", code: 400, metadata: { raw, provider_name: "x" } } };
    expect(readTooLong({ status: 400, message: "Provider returned error", body })).toEqual({
      isTooLong: true,
      by: "tokens",
      promptTokens: 210_000,
      limitTokens: 200_000,
    });
    expect(readTooLong({ status: 400, message: "", body: JSON.stringify(body) })).toMatchObject({
      limitTokens: 200_000,
    });
  });

  test("has its numbers in fields of their own from llama.cpp", () => {
    const error = {
      code: 400,
      message: "too big",
      type: "exceed_context_size_error",
      n_prompt_tokens: 13_392,
      n_ctx: 8_192,
    };
    expect(readTooLong({ status: 400, message: "too big", body: { error } })).toEqual({
      isTooLong: true,
      by: "tokens",
      promptTokens: 13_392,
      limitTokens: 8_192,
    });
  });

  test("includes one request that is larger than a minute's allowance, for no waiting helps", () => {
    const message =
      "Request too large for model `llama-3.3-70b-versatile` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 7812, please reduce your message size and try again.";
    expect(readTooLong({ status: 413, message, code: "rate_limit_exceeded" })).toEqual({
      isTooLong: true,
      by: "tokens",
      promptTokens: 7_812,
      limitTokens: 6_000,
    });
  });
});

describe("a request with too many bytes", () => {
  test.each([
    [413, "Request exceeds the maximum size"],
    [413, "<html><head><title>413 Request Entity Too Large</title></head></html>"],
    [413, ""],
    [400, "Request payload size exceeds the limit: 20971520 bytes."],
    [
      400,
      "Invalid 'messages[3].content': string too long. Expected a string with maximum length 10485760, but got a string with length 12000000 instead.",
    ],
  ])("%d %s", (status, message) => {
    expect(readTooLong({ status, message })).toEqual({ isTooLong: true, by: "bytes" });
  });

  test("is known by Anthropic's type", () => {
    const body = { type: "error", error: { type: "request_too_large", message: "too big" } };
    expect(readTooLong({ status: 413, message: "too big", body })).toEqual({ isTooLong: true, by: "bytes" });
  });
});

describe("what is something else", () => {
  test.each([
    [
      429,
      "Rate limit reached for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Used 29100, Requested 2400. Please try again in 3s.",
    ],
    [429, "This request would exceed your organization's rate limit of 400,000 input tokens per minute."],
    [429, "Too many tokens, please wait before trying again."],
    [undefined, "ThrottlingException: Too many tokens, please wait before trying again."],
    [429, "You exceeded your current quota, please check your plan. limit: 250000 input_token_count"],
    [
      402,
      "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 912.",
    ],
    [
      400,
      "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.",
    ],
    [400, "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude-haiku-4-5"],
    [400, "The maximum tokens you requested exceeds the model limit of 4096."],
    [
      400,
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got 52.",
    ],
    [400, "The response was filtered due to the prompt triggering the content management policy."],
    [400, "messages.3.content.0.image: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes"],
    [400, "tools.0.name: String should have at most 128 characters"],
    [401, "Incorrect API key provided."],
    [529, "Overloaded"],
    [500, "Internal server error"],
    [undefined, "the reply ended before it was complete"],
    [undefined, ""],
  ])("%s %s", (status, message) => {
    expect(readTooLong({ status, message })).toEqual({ isTooLong: false });
  });

  test.each([
    "'max_tokens' or 'max_completion_tokens' is too large: 32768. This model's maximum context length is 32768 tokens and your request has 12 input tokens.",
    "This model's maximum context length is 32768 tokens. However, you requested 139139 tokens (11139 in the messages, 128000 in the completion). Please reduce the length of the messages or completion.",
    "input length and `max_tokens` exceed context limit: 100 + 64000 > 32768, decrease input length or `max_tokens` and try again",
  ])("a reply's allowance that is more than the window, which is learned: %s", (message) => {
    expect(readTooLong({ status: 400, message })).toEqual({ isTooLong: false, windowTokens: 32_768 });
  });

  test("a prompt that is quoted and speaks of prompts that are too long", () => {
    const body = { detail: [{ type: "missing", loc: ["body"], msg: "Field required", input: "prompt is too long" }] };
    expect(readTooLong({ status: 422, message: "Unprocessable Entity", body })).toEqual({ isTooLong: false });
  });

  test.each([null, 7, [], "", "{", { error: null }, { error: { message: { nested: [1, null] } } }])(
    "a body like %j",
    (body) => {
      expect(readTooLong({ status: 400, message: "Bad Request", body })).toEqual({ isTooLong: false });
    },
  );

  test("a body without end is read no further than it matters", () => {
    const body: Record<string, unknown> = { message: "x".repeat(1_000_000) };
    body.error = body;
    body.errors = Array.from({ length: 10_000 }, () => body);
    expect(readTooLong({ status: 400, message: "Bad Request", body })).toEqual({ isTooLong: false });
  });
});
