import type { JsonSchema } from "../tool-definition.ts";
import { isSchemaObject } from "./parameter-form.ts";

export interface FoundParameter {
  readonly name: string;
  /** Its path in the schema: `path`, `edits[].file`, `$defs.Edit.file` … */
  readonly place: string;
  readonly schema: unknown;
  /** Whether it is inside an alternative, which some inputs need not match. */
  readonly isAlternative: boolean;
}

/** Returns the schema that replaces a parameter's; undefined keeps the parameter, and visits the parameters inside it. */
export type RewriteParameter = (parameter: FoundParameter) => JsonSchema | undefined;

/** Keywords with subschemas: by name, in a list, or a single one. `not` and `if` are left out, because a narrower schema in them would allow more. */
const DEFINITIONS = ["$defs", "definitions"];
const NAMED = [...DEFINITIONS, "patternProperties", "dependentSchemas", "dependencies"];
const ROWS = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const SINGLE = [
  ...["items", "additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties"],
  ...["then", "else"],
];
/** Keywords beside which an object's `properties` are not all of its parameters. */
const OPENING = [
  ...["additionalProperties", "unevaluatedProperties", "patternProperties", "$ref", "$dynamicRef"],
  ...["allOf", "anyOf", "oneOf", "if", "dependentSchemas", "dependencies"],
];

interface Position {
  readonly place: string;
  /** Whether no other schema describes the same object, so that it can be closed with `additionalProperties: false`. */
  readonly isAlone: boolean;
  readonly isAlternative: boolean;
  /** Whether definitions are used inside alternatives. */
  readonly areDefinitionsAlternative: boolean;
}

/**
 * Replaces the parameters of a schema for which `rewrite` returns another schema, at any depth. An object with a replaced
 * parameter takes no parameters but those it names, unless other schemas describe it, too.
 */
export function rewriteParameters(schema: JsonSchema, rewrite: RewriteParameter): JsonSchema {
  const areDefinitionsAlternative = hasAlternativeReference(schema);
  const position = { place: "", isAlone: true, isAlternative: false, areDefinitionsAlternative };
  return rewriteObject(schema, position, rewrite);
}

function rewriteAny(schema: unknown, position: Position, rewrite: RewriteParameter): unknown {
  return isSchemaObject(schema) ? rewriteObject(schema, position, rewrite) : schema;
}

function rewriteObject(schema: JsonSchema, position: Position, rewrite: RewriteParameter): JsonSchema {
  const isOpen = OPENING.some((keyword) => Object.hasOwn(schema, keyword));
  const isAlone = position.isAlone && !isOpen;
  const { properties, isGuarded } = rewriteProperties(schema.properties, { ...position, isAlone }, rewrite);
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => [
    keyword,
    keyword === "properties" ? properties : rewriteKeyword({ keyword, value }, { ...position, isAlone }, rewrite),
  ]);
  return Object.fromEntries(isGuarded && isAlone ? [...entries, ["additionalProperties", false]] : entries);
}

interface Keyword {
  readonly keyword: string;
  readonly value: unknown;
}

function rewriteKeyword({ keyword, value }: Keyword, position: Position, rewrite: RewriteParameter): unknown {
  const isDefinition = DEFINITIONS.includes(keyword) && position.areDefinitionsAlternative;
  const isUncertain = position.isAlternative || isDefinition || isAlternative(keyword, value);
  const shared = { ...position, isAlone: false, isAlternative: isUncertain };
  if (NAMED.includes(keyword) && isSchemaObject(value)) {
    return mapValues(value, (part, name) => {
      // a definition has no fixed path in the input, so that its own path in the schema is used
      const place = DEFINITIONS.includes(keyword) ? `${keyword}.${name}` : position.place;
      return rewriteAny(part, { ...shared, place }, rewrite);
    });
  }
  if (ROWS.includes(keyword) && Array.isArray(value)) return value.map((part) => rewriteAny(part, shared, rewrite));
  if (!SINGLE.includes(keyword)) return value;
  const inside = keyword === "items" ? { ...position, place: `${position.place}[]` } : shared;
  return rewriteAny(value, inside, rewrite);
}

interface RewrittenProperties {
  readonly properties: unknown;
  /** Whether one of the properties itself was replaced, not only a part of it. */
  readonly isGuarded: boolean;
}

function rewriteProperties(properties: unknown, position: Position, rewrite: RewriteParameter): RewrittenProperties {
  if (!isSchemaObject(properties)) return { properties, isGuarded: false };
  let isGuarded = false;
  const rewritten = mapValues(properties, (schema, name) => {
    const place = position.place === "" ? name : `${position.place}.${name}`;
    const replacement = rewrite({ name, place, schema, isAlternative: position.isAlternative });
    isGuarded ||= replacement !== undefined;
    return replacement ?? rewriteAny(schema, { ...position, place }, rewrite);
  });
  return { properties: rewritten, isGuarded };
}

function mapValues(record: JsonSchema, change: (value: unknown, name: string) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}

/**
 * Whether the subschemas of this keyword apply to some inputs only. A parameter inside them cannot be restricted, because an input may
 * match another alternative that does not mention it. A choice between a schema and null does not count.
 */
function isAlternative(keyword: string, value: unknown): boolean {
  switch (keyword) {
    case "anyOf":
    case "oneOf":
      return Array.isArray(value) && value.filter((choice) => !isNull(choice)).length > 1;
    case "then":
    case "else":
    case "dependentSchemas":
    case "dependencies":
      return true;
    default:
      return false;
  }
}

/** Whether an alternative refers to a definition: definitions then apply to some inputs only, too. */
function hasAlternativeReference(schema: JsonSchema): boolean {
  const stack: { readonly value: object; readonly isInside: boolean }[] = [{ value: schema, isInside: false }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    for (const [keyword, value] of Object.entries(next.value)) {
      const isInside = next.isInside || isAlternative(keyword, value);
      if (isInside && keyword === "$ref") return true;
      if (typeof value === "object" && value !== null) stack.push({ value, isInside });
    }
  }
  return false;
}

function isNull(choice: unknown): boolean {
  return isSchemaObject(choice) && choice.type === "null";
}
