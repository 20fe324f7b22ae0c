import { describeValue } from "../../core/assert.ts";
import { nearestName } from "../../core/nearest-name.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Checks a part of a request, and documents it by a JSON schema. */
export interface Shape<Value> {
  readonly schema: JsonSchema;
  /** Whether the part may be missing. */
  readonly isOptional: boolean;
  accepts(value: unknown): value is Value;
  /** Returns what is wrong with a value and what it must be instead; undefined if the value is accepted. */
  problemOf(value: unknown, name: string): string | undefined;
}

export interface ObjectShape<Value> extends Shape<Value> {
  readonly members: Readonly<Record<string, Shape<unknown>>>;
}

type Members = Readonly<Record<string, Shape<unknown>>>;
type ValueOf<Given> = Given extends Shape<infer Value> ? Value : never;
type FieldsOf<Given extends Members> = { readonly [Key in keyof Given]: ValueOf<Given[Key]> };

interface SimpleShape<Value> {
  readonly schema: JsonSchema;
  readonly accepts: (value: unknown) => value is Value;
  readonly allowed: string;
}

function simple<Value>({ schema, accepts, allowed }: SimpleShape<Value>): Shape<Value> {
  const problemOf = (value: unknown, name: string) => {
    if (accepts(value)) return undefined;
    return `${name} is ${value === undefined ? "missing" : describeValue(value)}; it must be ${allowed}.`;
  };
  return { schema, isOptional: false, accepts, problemOf };
}

export interface TextOptions {
  readonly description: string;
  readonly maxLength: number;
}

/** A string that is not empty. */
export function text({ description, maxLength }: TextOptions): Shape<string> {
  return simple({
    schema: { type: "string", minLength: 1, maxLength, description },
    accepts: (value): value is string => typeof value === "string" && value !== "" && [...value].length <= maxLength,
    allowed: `a text of 1 to ${maxLength} characters`,
  });
}

export interface WholeNumberOptions {
  readonly description: string;
  readonly least: number;
  readonly most: number;
  /** The documented default value; the route itself must apply it. @default none */
  readonly fallback?: number;
}

export function wholeNumber({ description, least, most, fallback }: WholeNumberOptions): Shape<number> {
  const byDefault = fallback === undefined ? {} : { default: fallback };
  return simple({
    schema: { type: "integer", minimum: least, maximum: most, ...byDefault, description },
    accepts: (value): value is number => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
    allowed: `a whole number from ${least} to ${most}`,
  });
}

/** A query parameter that lists whole numbers, with commas between them. */
export function numberList({ description, mostItems }: { readonly description: string; readonly mostItems: number }) {
  return simple({
    schema: { type: "string", pattern: `^\\d{1,9}(,\\d{1,9}){0,${mostItems - 1}}$`, description },
    accepts: (value): value is string => {
      const items = typeof value === "string" ? value.split(",", mostItems + 1) : [];
      return items.length > 0 && items.length <= mostItems && items.every((item) => /^\d{1,9}$/.test(item));
    },
    allowed: `1 to ${mostItems} whole numbers with commas between them`,
  });
}

export function flag({ description, fallback }: { readonly description: string; readonly fallback: boolean }) {
  return simple({
    schema: { type: "boolean", default: fallback, description },
    accepts: (value): value is boolean => typeof value === "boolean",
    allowed: "true or false",
  });
}

export interface TextListOptions extends TextOptions {
  readonly mostItems: number;
}

/** A list of strings that are not empty, at least one. */
export function textList({ description, maxLength, mostItems }: TextListOptions): Shape<readonly string[]> {
  const item = text({ description: "One of them.", maxLength });
  return simple({
    schema: { type: "array", items: item.schema, minItems: 1, maxItems: mostItems, description },
    accepts: (value): value is readonly string[] =>
      Array.isArray(value) && value.length > 0 && value.length <= mostItems && value.every(item.accepts),
    allowed: `a list of 1 to ${mostItems} texts of 1 to ${maxLength} characters`,
  });
}

export function exactlyTrue({ description }: { readonly description: string }): Shape<true> {
  return simple({
    schema: { const: true, description },
    accepts: (value): value is true => value === true,
    allowed: "true",
  });
}

export function optional<Value>(shape: Shape<Value>): Shape<Value | undefined> {
  return {
    schema: shape.schema,
    isOptional: true,
    accepts: (value): value is Value | undefined => value === undefined || shape.accepts(value),
    problemOf: (value, name) => (value === undefined ? undefined : shape.problemOf(value, name)),
  };
}

/** An object with these fields and no others. */
export function fields<Given extends Members>(members: Given): ObjectShape<FieldsOf<Given>> {
  const names = Object.keys(members);
  const required = names.filter((name) => members[name]?.isOptional === false);

  function problemOf(value: unknown, name: string): string | undefined {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return `${name} is ${describeValue(value)}; it must be an object with ${listOf(names)}.`;
    }
    const unknown = Object.keys(value).find((key) => !Object.hasOwn(members, key));
    if (unknown !== undefined) return unknownField(unknown, names);
    return names.map((key) => members[key]?.problemOf(ownField(value, key), key)).find((each) => each !== undefined);
  }

  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [name, members[name]?.schema])),
      ...(required.length === 0 ? {} : { required }),
      additionalProperties: false,
    },
    isOptional: false,
    members,
    accepts: (value): value is FieldsOf<Given> => problemOf(value, "") === undefined,
    problemOf,
  };
}

function ownField(value: object, key: string): unknown {
  return Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? "no field" : names.map((name) => JSON.stringify(name)).join(", ");
}

function unknownField(name: string, names: readonly string[]): string {
  const meant = nearestName(name, names, { maxEdits: 3 });
  const known = names.length === 0 ? "none is taken" : `there is ${listOf(names)}`;
  const hint = meant === undefined ? "Leave it out." : `Is it meant to be ${JSON.stringify(meant)}?`;
  return `There is no field ${describeValue(name)}; ${known}. ${hint}`;
}

/** Exactly one of several objects, distinguished by their fields. */
export function oneOf<Given extends readonly ObjectShape<unknown>[]>(...shapes: Given): Shape<ValueOf<Given[number]>> {
  const accepts = (value: unknown): value is ValueOf<Given[number]> => shapes.some((shape) => shape.accepts(value));
  return {
    schema: { oneOf: shapes.map(({ schema }) => schema) },
    isOptional: false,
    accepts,
    problemOf: (value, name) => {
      if (accepts(value)) return undefined;
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      const keys = isObject ? Object.keys(value) : [];
      const names = [...new Set(shapes.flatMap(({ members }) => Object.keys(members)))];
      const unknown = keys.find((key) => !names.includes(key));
      if (unknown !== undefined) return unknownField(unknown, names);
      // Fields that all shapes have do not show which shape is meant.
      const distinctive = keys.filter((key) => !shapes.every(({ members }) => Object.hasOwn(members, key)));
      const meant = shapes.filter(({ members }) => distinctive.some((key) => Object.hasOwn(members, key)));
      const [only, ...others] = meant;
      if (only !== undefined && others.length === 0) return only.problemOf(value, name);
      const choices = shapes.map(({ members }) => listOf(Object.keys(members))).join("; or ");
      const subject = isObject ? `${name}` : `${name} is ${describeValue(value)}; it`;
      return `${subject} must be an object with the fields of exactly one of these: ${choices}.`;
    },
  };
}
