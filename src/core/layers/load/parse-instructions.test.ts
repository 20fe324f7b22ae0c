import { describe, expect, test } from "vitest";
import { parseInstructions } from "./parse-instructions.ts";

const parse = (...lines: readonly string[]) => parseInstructions({ path: "AGENTS.md", text: lines.join("\n") });

describe("a file of instructions", () => {
  test("gives an entry of knowledge for each heading, under those above it", () => {
    const read = parse(
      "Intro.",
      "",
      "# Project",
      "",
      "## Build",
      "npm run build",
      "### Tests",
      "npm test",
      "## Layout",
      "src/",
    );
    expect(read.preferences).toEqual([]);
    expect(read.projectKnowledge.map(({ topic, content }) => [topic, content])).toEqual([
      ["AGENTS", "Intro."],
      ["Project > Build", "npm run build"],
      ["Project > Build > Tests", "npm test"],
      ["Project > Layout", "src/"],
    ]);
    expect(new Set(read.projectKnowledge.map(({ id }) => id)).size).toBe(4);
  });

  test("takes no line of code for a heading or a point", () => {
    const code = ["```sh", "# install", "- x", "```"];
    expect(parse("# Setup", ...code).projectKnowledge).toMatchObject([{ topic: "Setup", content: code.join("\n") }]);
    expect(parse("# Style", ...code)).toMatchObject({
      preferences: [],
      projectKnowledge: [{ content: code.join("\n") }],
    });
  });

  test("gives the points of sections about how to work as preferences, by key where they have one", () => {
    const read = parse(
      ...["# Code style", "", "In short:", "- Quotes: double", "* **Names:** whole words,", "  no abbreviations"],
      ...["- Never push: ask first, because the branch is shared.", "- Write tests."],
    );
    expect(read.preferences).toEqual([
      { key: "Quotes", value: "double" },
      { key: "Names", value: "whole words, no abbreviations" },
      { key: "Never push", value: "ask first, because the branch is shared." },
      { key: "Code style 4 (AGENTS.md)", value: "Write tests." },
    ]);
    expect(read.projectKnowledge).toMatchObject([{ topic: "Code style", content: "In short:" }]);
  });

  test("loses no point to one of the same place in another file", () => {
    const keys = ["AGENTS.md", "CLAUDE.md"].flatMap((path) =>
      parseInstructions({ path, text: "# Rules\n- Be kind.\n- Be brief." }).preferences.map(({ key }) => key),
    );
    expect(new Set(keys).size).toBe(4);
  });

  test("that is empty says nothing", () => {
    expect(parse("", "# Title", "", "## Rules", "")).toEqual({ preferences: [], projectKnowledge: [] });
  });
});
