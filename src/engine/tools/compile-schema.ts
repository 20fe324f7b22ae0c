import { describeError } from "../../core/describe-error.ts";
import { schemaExcess } from "../../core/tools/schema-bounds.ts";
import type { JsonSchema } from "../../core/tools/tool-definition.ts";
import type { Compilers, CompileSchema, Draft, Validate } from "./load-compilers.ts";
import { runWithin } from "./run-within.ts";

export type CompiledSchema =
  | { readonly type: "ready"; readonly validate: Validate }
  | { readonly type: "unusable"; readonly reason: string };

const COMPILE_TIMEOUT_MS = 5_000;
const MAX_REASON_CHARACTERS = 300;

const compiled = new WeakMap<JsonSchema, CompiledSchema>();
const live = new Map<Draft, CompileSchema>();

/** Compiles a schema, once per object. "unusable", with the reason, where that fails or takes too long. Fetches nothing. */
export function compileSchema(schema: JsonSchema, compilers: Compilers): CompiledSchema {
  const cached = compiled.get(schema);
  if (cached !== undefined) return cached;
  const result = compile(schema, compilers);
  compiled.set(schema, result);
  return result;
}

function compile(schema: JsonSchema, compilers: Compilers): CompiledSchema {
  const excess = schemaExcess(schema);
  if (excess !== undefined) return { type: "unusable", reason: excess };
  // The draft is chosen here. An asynchronous validator would return a promise, which counts as true.
  const { $schema, $async, ...rest } = schema;
  const draft = draftOf(schema);
  try {
    // A compiler registers a schema by its id, where it could conflict with others: such a schema gets a compiler of its own.
    const compileDraft = schema.$id === undefined ? liveCompiler(draft, compilers) : compilers[draft]();
    const run = runWithin(COMPILE_TIMEOUT_MS, () => compileDraft(rest));
    if (run.type === "done") return { type: "ready", validate: run.value };
    // The compiler was stopped in the middle of its work: it must not be used again.
    live.delete(draft);
    return { type: "unusable", reason: `its schema takes more than ${COMPILE_TIMEOUT_MS} ms to read` };
  } catch (error) {
    return {
      type: "unusable",
      reason: `its schema is not valid: ${describeError(error).slice(0, MAX_REASON_CHARACTERS)}`,
    };
  }
}

function liveCompiler(draft: Draft, compilers: Compilers): CompileSchema {
  const existing = live.get(draft);
  if (existing !== undefined) return existing;
  const compiler = compilers[draft]();
  // With the first schema, the compiler also reads the draft's own rules: that must not count against a tool's time limit.
  compiler({});
  live.set(draft, compiler);
  return compiler;
}

const KEYWORDS_OF_2020 = ['"prefixItems":', '"$dynamicRef":', '"$dynamicAnchor":'];

function draftOf(schema: JsonSchema): Draft {
  if (typeof schema.$schema === "string") return schema.$schema.includes("2020-12") ? "2020" : "2019";
  const text = JSON.stringify(schema);
  return KEYWORDS_OF_2020.some((keyword) => text.includes(keyword)) ? "2020" : "2019";
}
