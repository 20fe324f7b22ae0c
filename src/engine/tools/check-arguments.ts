import { assert, assertArray, assertNumber, assertObject, describeValue } from "../../core/assert.ts";
import { describeError } from "../../core/describe-error.ts";
import type { JsonSchema, SentTool } from "../../core/tools/tool-definition.ts";
import { compileSchema } from "./compile-schema.ts";
import { describeBreaches } from "./describe-breaches.ts";
import { type Compilers, loadCompilers, type Validate } from "./load-compilers.ts";
import { runWithin } from "./run-within.ts";

export type ArgumentVerdict =
  | { readonly isValid: true }
  /** `errors`: short sentences that tell the model what to change. */
  | { readonly isValid: false; readonly errors: readonly string[] };

/** Checks one call before it is executed. */
export type ArgumentCheck = (toolName: string, input: unknown) => ArgumentVerdict;

export interface ArgumentCheckOptions {
  /** How long one check may take; arguments that are not checked by then are refused. @default 250 */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 250;
const MAX_NAMES = 50;

/**
 * Creates a check of tool calls against the definitions that were sent, narrowed ones included: pass the tools of the projection.
 *
 * Loads the `ajv` package, and rejects with "missing-package" where it is not installed. Reads JSON Schema 07, 2019-09 and 2020-12; unknown keywords and
 * formats are ignored. Calls that cannot be checked are refused with the reason: a schema that is invalid, too large or refers to another document, or
 * a pattern that takes too long. Nothing is fetched.
 * @example
 * ```ts
 * import { createArgumentCheck } from "palimpsest/agent";
 * const inputSchema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
 * const check = await createArgumentCheck([{ name: "read_file", description: "", inputSchema }]);
 * console.log(check("read_file", { path: "a.ts" }).isValid, check("read_file", {}).isValid); // true false
 * ```
 */
export async function createArgumentCheck(
  tools: readonly SentTool[],
  options: ArgumentCheckOptions = {},
): Promise<ArgumentCheck> {
  assertArray("tools", tools);
  assertObject("options", options);
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  assertNumber("options.timeoutMs", timeoutMs, 1);
  const byName = new Map<string, SentTool>();
  for (const [index, tool] of tools.entries()) {
    assertObject(`tools[${index}]`, tool);
    assert(typeof tool.name === "string", `tools[${index}].name`, tool.name, "a string");
    assertObject(`tools[${index}].inputSchema`, tool.inputSchema);
    byName.set(tool.name, tool);
  }
  const compilers = await loadCompilers();
  return (toolName, input) => {
    const tool = byName.get(toolName);
    if (tool === undefined)
      return refuse(`There is no tool ${describeValue(toolName)} here. ${listNames([...byName.keys()])}`);
    return checkInput(tool, input, { compilers, timeoutMs: Math.ceil(timeoutMs) });
  };
}

interface CheckPorts {
  readonly compilers: Compilers;
  readonly timeoutMs: number;
}

function checkInput(
  { name, inputSchema }: SentTool,
  input: unknown,
  { compilers, timeoutMs }: CheckPorts,
): ArgumentVerdict {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return refuse(`The input is ${describeValue(input)}; it must be an object.`);
  }
  const schema = compileSchema(inputSchema, compilers);
  if (schema.type === "unusable") return refuse(`${name} cannot be called: ${schema.reason}.`);
  return checkCompiled(schema.validate, input, { subject: "The input", timeoutMs });
}

/** Checks any value against a schema, with the rules and the time limit of {@link createArgumentCheck}. */
export async function checkValue(schema: JsonSchema, value: unknown, subject: string): Promise<ArgumentVerdict> {
  const compiled = compileSchema(schema, await loadCompilers());
  if (compiled.type === "unusable") return refuse(`${subject} cannot be checked: ${compiled.reason}.`);
  return checkCompiled(compiled.validate, value, { subject, timeoutMs: DEFAULT_TIMEOUT_MS });
}

function checkCompiled(
  validate: Validate,
  value: unknown,
  { subject, timeoutMs }: { readonly subject: string; readonly timeoutMs: number },
): ArgumentVerdict {
  try {
    const run = runWithin(timeoutMs, () => judge(validate, value));
    if (run.type === "done") return run.value;
    return refuse(`${subject} could not be checked within ${timeoutMs} ms. Send shorter and simpler values.`);
  } catch (error) {
    // Such as a stack overflow, by a schema that refers to itself or a deeply nested value.
    return refuse(`${subject} could not be checked: ${describeError(error)}.`);
  }
}

function judge(validate: Validate, input: unknown): ArgumentVerdict {
  if (validate(input) === true) return { isValid: true };
  return { isValid: false, errors: describeBreaches(validate.errors ?? []) };
}

function refuse(error: string): ArgumentVerdict {
  return { isValid: false, errors: [error] };
}

function listNames(names: readonly string[]): string {
  if (names.length === 0) return "No tools can be called now.";
  const rest = names.length - MAX_NAMES;
  return `Call one of: ${names.slice(0, MAX_NAMES).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}.`;
}
