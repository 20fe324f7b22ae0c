import { assert, assertObject } from "../../assert.ts";
import { PalimpsestError } from "../../errors.ts";
import type { Template } from "../layered-state.ts";
import { PROCEDURE_CHECKS } from "../state/entry-checks.ts";

/** A placeholder `{{name}}`, with or without blanks around the name. */
const PLACEHOLDER = /\{\{[ \t]*([\p{L}\p{N}_.-]+)[ \t]*\}\}/gu;

/** The names of the placeholders in a text, each once, in their order. */
export function placeholdersOf(content: string): readonly string[] {
  return [...new Set(Array.from(content.matchAll(PLACEHOLDER), ([, name = ""]) => name))];
}

/**
 * The text of a template with its placeholders replaced. Values are inserted as they are, even if they contain `{{…}}`. Throws
 * "invalid-argument", with the name of the variable, where one has neither a value nor a default.
 * @example
 * ```ts
 * import { renderTemplate } from "palimpsest/agent";
 * const template = { id: "t1", name: "greeting", content: "{{greeting}}, {{name}}!", variables: [{ name: "greeting", default: "Hello" }, { name: "name" }] };
 * console.log(renderTemplate(template, { name: "Ada" })); // Hello, Ada!
 * ```
 */
export function renderTemplate(
  template: Template,
  values: Readonly<Record<string, string | number | boolean>> = {},
): string {
  PROCEDURE_CHECKS.templates(template, "template");
  assertObject("values", values);
  const { content, variables } = template;
  const defaults = new Map((variables ?? []).map((variable) => [variable.name, variable.default]));
  return content.replace(PLACEHOLDER, (placeholder, name: string) => {
    if (variables !== undefined && !defaults.has(name)) return placeholder;
    const value: unknown = Object.hasOwn(values, name) ? Reflect.get(values, name) : undefined;
    const filling = value ?? defaults.get(name);
    if (filling === undefined) throw missing(template, name);
    const isText = typeof filling === "string" || typeof filling === "number" || typeof filling === "boolean";
    assert(isText, `values[${JSON.stringify(name)}]`, filling, "a string, a number, true or false");
    return String(filling);
  });
}

function missing({ name: templateName, variables = [] }: Template, name: string): PalimpsestError {
  const description = variables.find((variable) => variable.name === name)?.description;
  return new PalimpsestError(
    "invalid-argument",
    `The template ${JSON.stringify(templateName)} needs a value for its variable ${JSON.stringify(name)}` +
      `${description === undefined ? "" : ` (${description})`}. Pass it in values, or give the variable a default.`,
  );
}
