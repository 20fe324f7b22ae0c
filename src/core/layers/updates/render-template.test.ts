import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PROPERTY_RUNS } from "../../../../test/support/property-runs.ts";
import { renderTemplate } from "./render-template.ts";

const template = (content: string) => ({ id: "t1", name: "letter", content });

describe("a template", () => {
  test("has its places filled in, with blanks or without, as often as they stand there", () => {
    const text = renderTemplate(template("{{name}} is {{ age }}; {{name}} is fine: {{fine}}"), {
      name: "Ada",
      age: 36,
      fine: true,
    });
    expect(text).toBe("Ada is 36; Ada is fine: true");
  });

  test("uses the default of a variable that has no value", () => {
    const variables = [{ name: "greeting", default: "Hello" }];
    expect(renderTemplate({ ...template("{{greeting}}!"), variables })).toBe("Hello!");
    expect(renderTemplate({ ...template("{{greeting}}!"), variables }, { greeting: "" })).toBe("!");
  });

  test("names the variable that has no value, and what it is for", () => {
    const missing = {
      code: "invalid-argument",
      message: expect.stringContaining('"letter" needs a value for its variable "name"'),
    };
    expect(() => renderTemplate(template("{{name}}"), { nmae: "Ada" })).toThrow(expect.objectContaining(missing));
    const variables = [{ name: "name", description: "whom it is for" }];
    expect(() => renderTemplate({ ...template("{{name}}"), variables })).toThrow("(whom it is for)");
  });

  test("leaves what is no variable of its own as it is", () => {
    const variables = [{ name: "name" }];
    const content = "{{name}}: {{ other }} {{secrets.KEY}} {name} {{}} {{a b}}";
    expect(renderTemplate({ ...template(content), variables }, { name: "Ada", other: "x" })).toBe(
      content.replace("{{name}}", "Ada"),
    );
  });

  test.each(["constructor", "__proto__", "toString"])("has no value for %s that nobody gave", (name) => {
    expect(() => renderTemplate(template(`{{${name}}}`), {})).toThrow(JSON.stringify(name));
  });

  test("takes any value as it is: nothing in it is a place or a pattern", () => {
    const value = fc.oneof(fc.string(), fc.constantFrom("{{name}}", "{{b}}", "$&", "$1", "$$"));
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(renderTemplate(template("<{{a}}|{{b}}>"), { a, b })).toBe(`<${a}|${b}>`);
      }),
      PROPERTY_RUNS,
    );
  });
});
