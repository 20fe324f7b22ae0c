import { tryParseJson } from "../json/parse-json.ts";

/** What is known of a request that a model's server refused. */
export interface ModelFailure {
  readonly status?: number | undefined;
  readonly message: string;
  /** What the server answered, parsed or as text. */
  readonly body?: unknown;
  /** The server's own name for the error, such as `context_length_exceeded`. */
  readonly code?: string | undefined;
}

/** What a failure says. */
export interface FailureTexts {
  readonly texts: readonly string[];
  /** Where a body names them in fields of their own. */
  readonly prompt: number | undefined;
  readonly limit: number | undefined;
}

/** The fields where servers put words and codes. Others may quote the prompt, which says what it likes. */
const TELLING_FIELDS: ReadonlySet<string> = /* @__PURE__ */ new Set(
  `error errors message messages msg detail details code type status reason title error_message error_description error_code
  metadata raw innererror cause data response incomplete_details body __type`.split(/\s+/),
);

const DEEPEST = 8;
const MOST_TEXTS = 64;
/** More than any server says; a prompt that is quoted after it is not read. */
const LONGEST_TEXT = 4_000;

/** The words and codes of a failure, from its message and from wherever its body has them. */
export function readFailureTexts({ message, code, body }: ModelFailure): FailureTexts {
  const texts = [message, code ?? ""].map((text) => text.slice(0, LONGEST_TEXT));
  const numbers: Record<string, number> = {};

  function visit(value: unknown, depth: number): void {
    if (depth > DEEPEST || texts.length >= MOST_TEXTS) return;
    if (typeof value === "string") visitText(value, depth);
    else if (Array.isArray(value)) for (const item of value.slice(0, MOST_TEXTS)) visit(item, depth + 1);
    else if (typeof value === "object" && value !== null) visitFields(value, depth);
  }

  // gateways hand on what another server said as a text that is JSON
  function visitText(text: string, depth: number): void {
    const parsed = /^\s*[[{]/.test(text) ? tryParseJson(text) : undefined;
    if (parsed === undefined) texts.push(text.slice(0, LONGEST_TEXT));
    else visit(parsed, depth + 1);
  }

  function visitFields(fields: object, depth: number): void {
    for (const [name, value] of Object.entries(fields)) {
      if (TELLING_FIELDS.has(name)) visit(value, depth + 1);
      else if (typeof value === "number" && value > 0) numbers[name] ??= value;
    }
  }

  visit(body, 0);
  // llama.cpp
  return { texts: [...new Set(texts)], prompt: numbers.n_prompt_tokens, limit: numbers.n_ctx };
}
