import type { JsonSchema } from "../tool-definition.ts";
import { isSchemaObject } from "./parameter-form.ts";

export interface FoundParameter {
  readonly name: string;
  /** `path`, `edits[].file`, `$defs.Edit.file` … */
  readonly place: string;
  readonly schema: unknown;
  /** Some inputs need not obey what is said here. */
  readonly isAlternative: boolean;
}

/** The schema to put in a parameter's place; undefined leaves it, and looks inside. */
export type RewriteParameter = (parameter: FoundParameter) => JsonSchema | undefined;

/** Keywords that hold subschemas by name, in a row, or alone. Inside `not` and `if` a narrower schema would allow more. */
const DEFINITIONS = ["$defs", "definitions"];
const NAMED = [...DEFINITIONS, "patternProperties", "dependentSchemas", "dependencies"];
const ROWS = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const SINGLE = [
  ...["items", "additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties"],
  ...["then", "else"],
];
/** Where these stand, an object's parameters are named elsewhere too. */
const OPENING = [
  ...["additionalProperties", "unevaluatedProperties", "patternProperties", "$ref", "$dynamicRef"],
  ...["allOf", "anyOf", "oneOf", "if", "dependentSchemas", "dependencies"],
];

interface Position {
  readonly place: string;
  /** No other schema speaks about the same object: it can be closed. */
  readonly isAlone: boolean;
  readonly isAlternative: boolean;
  /** The same, for what stands in a definition. */
  readonly areDefinitionsAlternative: boolean;
}

/**
 * The schema with the parameters rewritten that `rewrite` has an answer for, at any depth. An object that one of them
 * stands in takes no parameters but those it names, unless it says otherwise.
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
      // a definition has no place of its own in the input
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
  /** One of them was rewritten itself, not only something inside it. */
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
 * Whether what stands under this keyword binds only some inputs. Then no list can hold a parameter there: an input may
 * match another alternative, which says nothing about it. A choice between something and null is no such case.
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

/** Whether an alternative refers to a definition: what the definitions say then binds only some inputs too. */
function hasAlternativeReference(schema: JsonSchema): boolean {
  const waiting: { readonly value: object; readonly isInside: boolean }[] = [{ value: schema, isInside: false }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [keyword, value] of Object.entries(next.value)) {
      const isInside = next.isInside || isAlternative(keyword, value);
      if (isInside && keyword === "$ref") return true;
      if (typeof value === "object" && value !== null) waiting.push({ value, isInside });
    }
  }
  return false;
}

function isNull(choice: unknown): boolean {
  return isSchemaObject(choice) && choice.type === "null";
}
