import { describeValue } from "../../assert.ts";
import { type GuardedKind, type JsonSchema, type SentTool, sentTool, type ToolDefinition } from "../tool-definition.ts";
import type { AllowLists } from "./allow-lists.ts";
import { guardedKind } from "./guarded-kind.ts";
import { isSchemaObject, type ParameterForm, parameterForm } from "./parameter-form.ts";
import { type FoundParameter, rewriteParameters } from "./rewrite-parameters.ts";

/** A parameter that was restricted to a list of values. */
export interface NarrowedParameter {
  /** Its path in the schema: `path`, `edits[].file`, `$defs.Edit.file` … */
  readonly place: string;
  readonly kind: GuardedKind | "listed";
  readonly allowed: readonly string[];
}

export type Narrowing =
  | { readonly type: "unchanged"; readonly tool: SentTool }
  | { readonly type: "narrowed"; readonly tool: SentTool; readonly parameters: readonly NarrowedParameter[] }
  | { readonly type: "impossible"; readonly reason: string };

const narrowings = new WeakMap<AllowLists, WeakMap<ToolDefinition, Narrowing>>();

/**
 * The tool as it is shown in production: every path or command parameter, at any depth, becomes an enum of its
 * allow-list, and the object around it takes no other parameters than those it names. Impossible where a list is
 * missing, or a parameter takes more than texts. Cached, so that the same lists always give the same object.
 */
export function narrowTool(tool: ToolDefinition, lists: AllowLists): Narrowing {
  let cache = narrowings.get(lists);
  if (cache === undefined) {
    cache = new WeakMap();
    narrowings.set(lists, cache);
  }
  const narrowing = cache.get(tool) ?? narrow(tool, lists);
  cache.set(tool, narrowing);
  return narrowing;
}

function narrow(tool: ToolDefinition, lists: AllowLists): Narrowing {
  const reference = findFarReference(tool.inputSchema);
  if (reference !== undefined) {
    return { type: "impossible", reason: `its schema refers to ${describeValue(reference)}, out of reach` };
  }
  const narrowed: NarrowedParameter[] = [];
  const problems: string[] = [];
  const own = listsOf(tool, lists);
  const parameterNames = new Set<string>();
  const inputSchema = rewriteParameters(tool.inputSchema, (parameter) => {
    parameterNames.add(parameter.name);
    const outcome = narrowParameter({ tool, lists, own }, parameter);
    if (outcome === undefined) return undefined;
    if (outcome.type === "impossible") {
      problems.push(`its parameter ${parameter.place} ${outcome.reason}`);
      return undefined;
    }
    narrowed.push(outcome.narrowed);
    return outcome.schema;
  });
  // a misspelt name must not leave the intended parameter unrestricted
  const unknown = Object.keys(own).find((name) => !parameterNames.has(name));
  if (unknown !== undefined) problems.push(`its allow-list names ${unknown}, which is none of its parameters`);
  const [problem] = problems;
  if (problem !== undefined) return { type: "impossible", reason: problem };
  if (narrowed.length === 0) return { type: "unchanged", tool: sentTool(tool) };
  return { type: "narrowed", tool: { ...sentTool(tool), inputSchema }, parameters: narrowed };
}

interface Rules {
  readonly tool: ToolDefinition;
  readonly lists: AllowLists;
  /** The lists for this tool alone. */
  readonly own: Readonly<Record<string, readonly string[]>>;
}

type ParameterOutcome =
  | { readonly type: "narrowed"; readonly schema: JsonSchema; readonly narrowed: NarrowedParameter }
  | { readonly type: "impossible"; readonly reason: string };

function narrowParameter(
  { tool, lists, own }: Rules,
  { name, place, schema, isAlternative }: FoundParameter,
): ParameterOutcome | undefined {
  const kind = guardedKind(tool, name);
  const listed = Object.hasOwn(own, name) ? own[name] : undefined;
  if (kind === undefined && listed === undefined) return undefined;
  const allowed = listed ?? (kind === "path" ? lists.paths : lists.commands);
  const form = parameterForm(schema, tool.inputSchema);
  if (form?.type === "group" && listed === undefined) return undefined;
  if (form === undefined || form.type === "group")
    return { type: "impossible", reason: "takes more than texts, so no allow-list can hold it" };
  if (allowed === undefined) return { type: "impossible", reason: `is a ${kind}, and no allow-list is given for it` };
  if (isAlternative) {
    return { type: "impossible", reason: "stands in one of several alternatives, so no allow-list can hold it" };
  }
  const restricted = restrictToList(form, allowed);
  if (restricted === undefined) return { type: "impossible", reason: "takes nothing that its allow-list allows" };
  const narrowed: NarrowedParameter = { place, kind: kind ?? "listed", allowed: restricted.values };
  return { type: "narrowed", schema: restricted.schema, narrowed };
}

function listsOf({ name }: ToolDefinition, { parameters = {} }: AllowLists): Rules["own"] {
  return (Object.hasOwn(parameters, name) ? parameters[name] : undefined) ?? {};
}

const REFERENCES = ["$ref", "$dynamicRef", "$recursiveRef"];
/** References to the schema itself, or to its definitions and properties by name: these are searched for parameters. */
const NEAR = /^#(?:\/(?:\$defs|definitions|properties)\/[^/]+)?$/;

/**
 * A reference to a part that is not searched for parameters: another document, an anchor, or a part under a custom keyword.
 * Undefined where there is none, so that all parameters are found. The schema must be within bounds.
 */
function findFarReference(schema: JsonSchema): string | undefined {
  const stack: object[] = [schema];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    for (const [keyword, value] of Object.entries(next)) {
      if (typeof value === "object" && value !== null) stack.push(value);
      if (REFERENCES.includes(keyword) && typeof value === "string" && !NEAR.test(value)) return value;
    }
  }
  return undefined;
}

interface RestrictedParameter {
  readonly schema: JsonSchema;
  /** The values that it still takes. */
  readonly values: readonly string[];
}

/** Restricts a schema to the values that it took before and the list allows; undefined where there are none. */
function restrictToList(form: ParameterForm, allowed: readonly string[]): RestrictedParameter | undefined {
  const limits = form.type === "list" ? itemsOf(form.schema) : form.schema;
  const values = allowedValues(limits, allowed);
  return values.length === 0 ? undefined : { schema: restrictedSchema(form, values), values };
}

function restrictedSchema(form: ParameterForm, values: readonly string[]): JsonSchema {
  const { isNullable, schema } = form;
  switch (form.type) {
    case "text":
      return {
        ...withoutSamples(schema, (value) => values.some((each) => each === value) || (isNullable && value === null)),
        type: isNullable ? ["string", "null"] : "string",
        enum: isNullable ? [...values, null] : values,
      };
    case "list": {
      const isAllowed = (value: unknown) => Array.isArray(value) && value.every((each) => values.includes(each));
      return {
        ...withoutSamples(schema, (value) => isAllowed(value) || (isNullable && value === null)),
        type: isNullable ? ["array", "null"] : "array",
        items: { ...withoutSamples(itemsOf(schema), (value) => isAllowed([value])), type: "string", enum: values },
      };
    }
  }
}

function itemsOf({ items }: JsonSchema): JsonSchema {
  return isSchemaObject(items) ? items : {};
}

function allowedValues(schema: JsonSchema, allowed: readonly string[]): readonly string[] {
  const distinct = [...new Set(allowed)];
  if (schema.const !== undefined) return distinct.filter((value) => value === schema.const);
  const choices = schema.enum;
  return Array.isArray(choices) ? distinct.filter((value) => choices.includes(value)) : distinct;
}

/** Removes examples, and a default that is not allowed: they would mislead the model. */
function withoutSamples(schema: JsonSchema, isAllowed: (value: unknown) => boolean): JsonSchema {
  const { default: preset, examples, nullable, ...rest } = schema;
  return preset !== undefined && isAllowed(preset) ? { ...rest, default: preset } : rest;
}
