import type { JsonSchema } from "../tool-definition.ts";
import { isSchemaObject } from "./json-pointer.ts";
import type { ParameterForm } from "./parameter-form.ts";

export interface HeldParameter {
  readonly schema: JsonSchema;
  /** What it still takes. */
  readonly values: readonly string[];
}

/** The schema that takes only what it took before and the list allows; undefined where that is nothing. */
export function holdToList(form: ParameterForm, allowed: readonly string[]): HeldParameter | undefined {
  const limits = form.type === "list" ? itemsOf(form.schema) : form.schema;
  const values = allowedValues(limits, allowed);
  return values.length === 0 ? undefined : { schema: heldSchema(form, values), values };
}

function heldSchema(form: ParameterForm, values: readonly string[]): JsonSchema {
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
  const known = schema.enum;
  return Array.isArray(known) ? distinct.filter((value) => known.includes(value)) : distinct;
}

/** Defaults and examples that are not allowed would only mislead. */
function withoutSamples(schema: JsonSchema, isAllowed: (value: unknown) => boolean): JsonSchema {
  const { default: preset, examples, nullable, ...rest } = schema;
  return preset !== undefined && isAllowed(preset) ? { ...rest, default: preset } : rest;
}
