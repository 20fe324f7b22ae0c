import { describe, expect, test } from "vitest";
import { parseChecklist, parseSkill, parseTemplate } from "./parse-procedures.ts";

const skill = (...lines: readonly string[]) => parseSkill({ path: "skills/release/SKILL.md", text: lines.join("\n") });
const template = (...lines: readonly string[]) => parseTemplate({ path: "templates/note.md", text: lines.join("\n") });
const checklist = (...lines: readonly string[]) =>
  parseChecklist({ path: "checklists/ship-it.md", text: lines.join("\n") });

describe("a SKILL.md file", () => {
  test("gives a skill with the name and description of its front matter", () => {
    const read = skill(
      "---",
      "name: publish",
      "description: Use it to publish.",
      "---",
      "",
      "# How",
      "",
      "Build it.",
      "",
    );
    expect(read).toEqual({
      id: "skills/release/SKILL.md",
      name: "publish",
      description: "Use it to publish.",
      content: "# How\n\nBuild it.",
      source: "skills/release/SKILL.md",
    });
  });

  test("has the name of its folder where it says none, and needs no front matter", () => {
    expect(skill("Build it.")).toMatchObject({ name: "release", content: "Build it." });
    expect(skill("Build it.")).not.toHaveProperty("description");
  });

  test.each([
    ['description: "Two: \\"parts\\" # kept"', 'Two: "parts" # kept'],
    ["description: 'It''s quoted'", "It's quoted"],
    ["description: plain # a comment", "plain"],
    ["description: https://example.com/#part", "https://example.com/#part"],
    ["description: >-\n  one\n  line\n\n  and another", "one line\n\nand another"],
    ["description: |\n  two\n    lines", "two\n  lines"],
    ["description: on\n  two lines", "on two lines"],
    ["metadata:\n  deep:\n    - { any: thing }\ndescription: after what nobody reads", "after what nobody reads"],
    ["# a comment\n\ndescription: after a comment", "after a comment"],
  ])("reads %j", (field, description) => {
    expect(skill("---", field, "---", "x").description).toBe(description);
  });

  test.each([
    ["allowed-tools: Read, Bash(git add:*), Grep", ["Read", "Bash(git add:*)", "Grep"]],
    ["allowed-tools: Read Bash(jq:*)", ["Read", "Bash(jq:*)"]],
    ["allowed-tools: [Read, 'a, b', \"c\"]", ["Read", "a, b", "c"]],
    ["tools:\n  - Read\n  - Write # both", ["Read", "Write"]],
    ["tools:\n- Read", ["Read"]],
  ])("reads the tools of %j", (field, tools) => {
    expect(skill("---", field, "---", "x").tools).toEqual(tools);
  });

  test("reads steps, and files with CRLF and a byte order mark", () => {
    const read = parseSkill({
      path: "s/SKILL.md",
      text: "\ufeff---\r\nsteps:\r\n  - Build\r\n  - Test\r\n---\r\na\r\nb\r\n",
    });
    expect(read).toMatchObject({ name: "s", steps: ["Build", "Test"], content: "a\nb" });
  });

  test.each([
    [["---", "name: x"], "line 1: the front matter does not end"],
    [["---", "name: x", "what", "---"], 'line 3: "what" is no field'],
    [["---", "  name: x", "---"], 'line 2: "name: x" belongs to no field'],
    [["---", "name: x", "name: y", "---"], "line 3: the field name is there twice"],
    [["---", "a: b", 'description: "open', "---"], 'line 3: the quote of "\\"open" is not closed'],
    [["---", "description: {a: b}", "---"], 'line 2: "{a: b}" is no text'],
    [["---", "tools: [a, b", "---", "x"], "line 2: the list does not end"],
    [["---", "steps:", "  - a", "  b", "---", "x"], 'line 4: "b" is no item'],
    [["---", "name: x", "---", ""], "line 1: it says nothing. Add a description"],
  ])("%j is refused, with file and line", (lines, message) => {
    const refused = {
      code: "invalid-configuration",
      message: expect.stringContaining(`skills/release/SKILL.md, ${message}`),
    };
    expect(() => skill(...lines)).toThrow(expect.objectContaining(refused));
  });
});

describe("a template's file", () => {
  test("gives its text, named by the file", () => {
    expect(template("Dear {{name}},", "", "bye")).toEqual({
      id: "templates/note.md",
      name: "note",
      content: "Dear {{name}},\n\nbye",
    });
  });

  test("declares variables by name, or with defaults", () => {
    expect(template("---", "name: letter", "variables: [name, day]", "---", "{{name}}")).toMatchObject({
      name: "letter",
      variables: [{ name: "name" }, { name: "day" }],
    });
    expect(template("---", "variables:", "  name:", '  greeting: "Hello: you"', "---", "{{name}}").variables).toEqual([
      { name: "name" },
      { name: "greeting", default: "Hello: you" },
    ]);
  });

  test("that is empty is refused", () => {
    expect(() => template("---", "name: x", "---")).toThrow("templates/note.md, line 1: it is empty");
    expect(() => template("---", "variables:", "  a: 1", "  b", "---", "x")).toThrow('line 4: "b" is no field');
  });
});

describe("a checklist's file", () => {
  test("gives the items of its task lists, and what stands around them", () => {
    const read = checklist(
      ...[
        "# Ship it",
        "",
        "Every time.",
        "",
        "- [ ] Run the",
        "  tests",
        "* [x] Tag it",
        "1. [X] Write notes",
        "  - [ ] in English",
      ],
      ...["", "```", "- [ ] no item", "```"],
    );
    expect(read).toEqual({
      id: "checklists/ship-it.md",
      name: "Ship it",
      content: "Every time.\n\n\n```\n- [ ] no item\n```",
      items: [
        { id: "1", text: "Run the tests", isDone: false },
        { id: "2", text: "Tag it", isDone: true },
        { id: "3", text: "Write notes", isDone: true },
        { id: "4", text: "in English", isDone: false },
      ],
    });
  });

  test("is named by its front matter, its heading or itself", () => {
    expect(checklist("---", "name: a", "---", "# b", "- [ ] x").name).toBe("a");
    expect(checklist("- [ ] x").name).toBe("ship-it");
  });

  test.each([
    [["Only text."], "line 1: it has no items"],
    [["# A", "", "- [y] x"], "line 3: [y] is neither open nor done"],
    [["---", "name: a", "---", "- [ ]"], "line 4: the item says nothing"],
  ])("%j is refused, with file and line", (lines, message) => {
    expect(() => checklist(...lines)).toThrow(`checklists/ship-it.md, ${message}`);
  });
});
