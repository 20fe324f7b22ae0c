import type { JsonSchema } from "../tool-definition.ts";

/** A parameter that can be restricted to an allow-list: a text or a list of texts, possibly null. */
export interface ParameterForm {
  readonly type: "text" | "list";
  readonly isNullable: boolean;
  /** The schema of the text or the list, with references resolved. */
  readonly schema: JsonSchema;
}

/** An object, or a list of objects, with parameters of its own, which are narrowed one by one. */
export interface GroupForm {
  readonly type: "group";
}

type PartForm = ParameterForm | GroupForm | { readonly type: "null" };

const MAX_REFERENCES = 8;

/** The form of a parameter's schema; undefined where it takes other values, and cannot be restricted to an allow-list. */
export function parameterForm(schema: unknown, root: JsonSchema): ParameterForm | GroupForm | undefined {
  const form = formOf(schema, root, MAX_REFERENCES);
  return form?.type === "null" ? undefined : form;
}

function formOf(schema: unknown, root: JsonSchema, referencesLeft: number): PartForm | undefined {
  if (schema === true) return { type: "text", isNullable: false, schema: {} };
  if (!isSchemaObject(schema)) return undefined;
  if (schema.$ref !== undefined) {
    if (referencesLeft === 0) return undefined;
    const { $ref, ...beside } = schema;
    const target = resolvePointer(root, $ref);
    // drafts of JSON Schema differ on keywords beside a reference; merging them satisfies both
    return isSchemaObject(target) ? formOf({ ...target, ...beside }, root, referencesLeft - 1) : undefined;
  }
  for (const keyword of ["anyOf", "oneOf"]) {
    const { [keyword]: choices, ...beside } = schema;
    const isUnion = Array.isArray(choices) && schema.type === undefined;
    if (isUnion) return unionForm({ choices, beside }, root, referencesLeft);
  }
  return plainForm(schema, root, referencesLeft);
}

/** The form of a union with null, as which many languages write an optional parameter; undefined for other unions. */
function unionForm(
  { choices, beside }: { readonly choices: readonly unknown[]; readonly beside: JsonSchema },
  root: JsonSchema,
  referencesLeft: number,
): PartForm | undefined {
  const forms = choices.map((choice) => formOf(choice, root, referencesLeft));
  const others = forms.filter((form) => form?.type !== "null");
  const [only] = others;
  if (others.length !== 1 || only === undefined) return undefined;
  if (only.type === "group") return only;
  const isNullable = only.isNullable || others.length < forms.length;
  return { ...only, isNullable, schema: { ...only.schema, ...beside } };
}

function plainForm(schema: JsonSchema, root: JsonSchema, referencesLeft: number): PartForm | undefined {
  const types: readonly unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  const others = types.filter((type) => type !== "null");
  const isNullable = others.length < types.length || schema.nullable === true;
  if (others.length === 0) return { type: "null" };
  if (others.length > 1) return undefined;
  switch (others[0]) {
    case undefined:
    case "string":
      return { type: "text", isNullable, schema };
    case "array": {
      const items = formOf(schema.items, root, referencesLeft);
      if (schema.prefixItems !== undefined || items === undefined || items.type === "list") return undefined;
      if (items.type !== "text") return items.type === "group" ? items : undefined;
      return items.isNullable ? undefined : { type: "list", isNullable, schema: { ...schema, items: items.schema } };
    }
    case "object":
      return isGroup(schema) ? { type: "group" } : undefined;
    default:
      return undefined;
  }
}

/** Whether an object has known property names only. In a map (path → content), a name could be a path. */
function isGroup({ properties, additionalProperties = false, patternProperties }: JsonSchema): boolean {
  return isSchemaObject(properties) && additionalProperties === false && patternProperties === undefined;
}

export function isSchemaObject(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The part of `root` to which a reference such as `#/$defs/Path` points; undefined for other references. */
function resolvePointer(root: JsonSchema, reference: unknown): unknown {
  if (reference === "#") return root;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined;
  let part: unknown = root;
  for (const step of reference.slice(2).split("/")) {
    const key = decoded(step).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, key)) return undefined;
    part = Reflect.get(part, key);
  }
  return part;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
