/**
 * How servers say that a prompt is too long. `{prompt}`, `{more}` (of the prompt), `{reply}` and `{limit}` stand for numbers of
 * tokens, `…` for any words. Where several wordings match, each number is taken from the first one that has it.
 */
export const TOKEN_WORDINGS: readonly string[] = [
  // Anthropic, also on Bedrock and Vertex
  "prompt is too long: {prompt} tokens > {limit} maximum",
  "input length and…max_tokens…exceed context limit: {prompt} + {reply} > {limit}",
  "prompt is too long",
  "prompt too long",
  // OpenAI and Azure; DeepSeek, vLLM, FastChat and OpenRouter speak alike
  "maximum context length is {limit} tokens…requested…{reply} output tokens and your prompt contains…{prompt} input tokens",
  "maximum context length is {limit} tokens…requested…tokens ({prompt} in the messages, {reply} in the completion",
  "maximum context length is {limit} tokens…requested…tokens ({prompt} in your prompt; {reply} for the completion",
  "maximum context length is {limit} tokens…requested about…({prompt} of text input, {more} of tool input, {reply} in the output",
  "maximum context length is {limit} tokens…requested about…({prompt} of text input, {reply} in the output",
  "maximum context length is {limit} tokens…requested about {prompt} tokens",
  "maximum context length is {limit} tokens…resulted in {prompt} tokens",
  "maximum context length is {limit} tokens…request has {prompt} input tokens",
  "max_completion_tokens' is too large: {reply}. This model's maximum context length is {limit} tokens",
  "maximum context length is {limit}",
  "Input tokens exceed the configured limit of {limit} tokens…resulted in {prompt} tokens",
  "exceeds the context window of {limit}",
  "exceeds the context window",
  "reduce the length of the messages",
  // Gemini, Vertex
  "input token count ({prompt}) exceeds the maximum number of tokens allowed ({limit})",
  "input token count exceeds the maximum number of tokens allowed {limit}",
  "input token count is {prompt} but model only supports up to {limit}",
  "input token count…exceeds the maximum number of tokens",
  // Bedrock
  "Too many input tokens. Max input tokens: {limit}, request input token count: {prompt}",
  "Input is too long for requested model",
  "Number of input tokens exceeds maximum length",
  // xAI
  "maximum prompt length is {limit} but the request contains {prompt} tokens",
  "maximum prompt length is {limit}",
  // Mistral
  "Prompt contains {prompt} tokens…too large for model with {limit} maximum context length",
  // GitHub Copilot and GitHub Models
  "prompt token count of {prompt} exceeds the limit of {limit}",
  "Request body too large for…Max size: {limit} tokens",
  // Groq and OpenAI, where one request is larger than what a whole minute may use: no waiting helps
  "Request too large for…Limit {limit}, Requested {prompt}",
  // Fireworks
  "prompt is too long: {prompt}, model maximum context length: {limit}",
  // Cerebras
  "Current length is {prompt} while limit is {limit}",
  // Moonshot
  "exceeded model token limit: {limit} (requested: {prompt}",
  "exceeded model token limit",
  // MiniMax, Z.ai, DashScope
  "context window exceeds limit",
  "Prompt exceeds max length",
  "Range of input length should be [1, {limit}]",
  // Together, SGLang, Poolside, DeepInfra
  "input ({prompt} tokens) is longer than the model's context length ({limit} tokens)",
  "exceeds the model's maximum context length of {limit} tokens…{prompt} tokens from the input messages and {reply} tokens",
  "exceeds the model's maximum context length of {limit}",
  "Input length ({prompt}) exceeds…maximum context length ({limit}",
  "Input length ({prompt} tokens) exceeds the maximum allowed length ({limit} tokens)",
  "Input length {prompt} exceeds the maximum allowed input length of {limit} tokens",
  "input length {prompt} exceeds maximum input length {limit}",
  // vLLM
  "prompt (length {prompt}) is longer than the maximum model length of {limit}",
  "prompt ({prompt} tokens) is too long and exceeds limit of {limit}",
  "passed {prompt} input tokens and requested {reply} output tokens…context length is only {limit} tokens",
  // text-generation-inference, Hugging Face
  "must be <= {limit}. Given: {prompt} `inputs` tokens and {reply} `max_new_tokens`",
  "`inputs` must have less than {limit} tokens. Given: {prompt}",
  // llama.cpp, llama-cpp-python and what is built on them
  "request ({prompt} tokens) exceeds the available context size ({limit} tokens)",
  "exceeds the available context size",
  "Requested tokens ({prompt}) exceed context window of {limit}",
  "prompt has {prompt} tokens, but the configured context size is {limit}",
  // LM Studio
  "keep the first {prompt} tokens…loaded with context length of only {limit} tokens",
  "greater than the context length",
  // Ollama
  "input length exceeds the context length",
  "exceeded max context length",
  // watsonx, Cohere
  "number of input tokens {prompt} cannot exceed the total tokens limit {limit}",
  "too many tokens: size limit exceeded by",
  // LiteLLM, and what others make of it
  "ContextWindowExceededError",
  "context length exceeded",
  "context window exceeded",
];

/** How servers say that a request has too many bytes, whatever its tokens. */
export const BYTE_WORDINGS: readonly string[] = [
  // Anthropic
  "Request exceeds the maximum size",
  "Request exceeds the maximum allowed number of bytes",
  // Gemini
  "Request payload size exceeds the limit",
  // proxies in between
  "Request Entity Too Large",
  "Payload Too Large",
  "Content Too Large",
  "request body is too large",
  "request body too large",
  // OpenAI: one text; short limits are those of names and ids
  "string too long. Expected a string with maximum length {limit}",
];

/** Codes and types of errors that say by themselves that a request is too long. */
export const TOO_LONG_CODES: Readonly<Record<string, "tokens" | "bytes">> = {
  context_length_exceeded: "tokens",
  context_window_exceeded: "tokens",
  model_context_window_exceeded: "tokens",
  exceed_context_size_error: "tokens",
  model_max_prompt_tokens_exceeded: "tokens",
  max_prompt_tokens_exceeded: "tokens",
  tokens_limit_reached: "tokens",
  request_too_large: "bytes",
  FUNCTION_PAYLOAD_TOO_LARGE: "bytes",
};

/** Limits of rates, accounts and money: waiting or paying helps against these, a shorter prompt does not. */
export const OTHER_LIMITS =
  /tokens? (?:per|\/) ?(?:second|min|minute|hour|day|month)|\b(?:TPM|TPD|RPM)\b|rate.?limit|too many requests|quota|throttl|please wait before|more credits/i;
