import { tryParseJson } from "../json/parse-json.ts";

/** A request that a model's server refused, as far as it is known. */
export interface ModelFailure {
  readonly status?: number | undefined;
  readonly message: string;
  /** What the server answered, parsed or as text. */
  readonly body?: unknown;
  /** The server's own name for the error, such as `context_length_exceeded`. */
  readonly code?: string | undefined;
}

/** The texts and numbers in a failure. */
export interface FailureTexts {
  readonly texts: readonly string[];
  /** Tokens of the prompt, and the limit, where the body has fields for them. */
  readonly prompt: number | undefined;
  readonly limit: number | undefined;
}

/** The fields where servers put messages and codes. Other fields may quote the prompt, which may hold any text. */
const TELLING_FIELDS: ReadonlySet<string> = /* @__PURE__ */ new Set(
  `error errors message messages msg detail details code type status reason title error_message error_description error_code
  metadata raw innererror cause data response incomplete_details body __type`.split(/\s+/),
);

const MAX_DEPTH = 8;
const MAX_TEXTS = 64;
/** Longer than any server's own message; a prompt that is quoted after it is not read. */
const MAX_CHARACTERS = 4_000;

/** The messages and codes of a failure: its own, and those anywhere in its body. */
export function readFailureTexts({ message, code, body }: ModelFailure): FailureTexts {
  const texts = [message, code ?? ""].map((text) => text.slice(0, MAX_CHARACTERS));
  const numbers: Record<string, number> = {};

  function visit(value: unknown, depth: number): void {
    if (depth > MAX_DEPTH || texts.length >= MAX_TEXTS) return;
    if (typeof value === "string") visitText(value, depth);
    else if (Array.isArray(value)) for (const item of value.slice(0, MAX_TEXTS)) visit(item, depth + 1);
    else if (typeof value === "object" && value !== null) visitFields(value, depth);
  }

  // Proxies pass on the error of another server as a string of JSON.
  function visitText(text: string, depth: number): void {
    const parsed = /^\s*[[{]/.test(text) ? tryParseJson(text) : undefined;
    if (parsed === undefined) texts.push(text.slice(0, MAX_CHARACTERS));
    else visit(parsed, depth + 1);
  }

  function visitFields(fields: object, depth: number): void {
    for (const [name, value] of Object.entries(fields)) {
      if (TELLING_FIELDS.has(name)) visit(value, depth + 1);
      else if (typeof value === "number" && value > 0) numbers[name] ??= value;
    }
  }

  visit(body, 0);
  // These fields are llama.cpp's.
  return { texts: [...new Set(texts)], prompt: numbers.n_prompt_tokens, limit: numbers.n_ctx };
}
