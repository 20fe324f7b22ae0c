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

/** A validator of the schema, made once per object; or why there is none. Never asks the network, never hangs. */
export function compileSchema(schema: JsonSchema, compilers: Compilers): CompiledSchema {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const result = compile(schema, compilers);
  compiled.set(schema, result);
  return result;
}

function compile(schema: JsonSchema, compilers: Compilers): CompiledSchema {
  const excess = schemaExcess(schema);
  if (excess !== undefined) return { type: "unusable", reason: excess };
  // the draft is chosen here; and an asynchronous validator would answer with a promise, which is always true
  const { $schema, $async, ...rest } = schema;
  const draft = draftOf(schema);
  try {
    // a schema with an id of its own is registered under it, where it could stand in the way of others
    const compileDraft = schema.$id === undefined ? liveCompiler(draft, compilers) : compilers[draft]();
    const run = runWithin(COMPILE_TIMEOUT_MS, () => compileDraft(rest));
    if (run.type === "done") return { type: "ready", validate: run.value };
    // it was stopped in the middle of its work
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
  const known = live.get(draft);
  if (known !== undefined) return known;
  const compiler = compilers[draft]();
  // the first schema takes much longer than any other: the draft's own rules are read with it
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
