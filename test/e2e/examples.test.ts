import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { sized } from "../chaos/chaos-size.ts";

const repository = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(repository, path), "utf8");
const list = (pattern: string) => globSync(pattern, { cwd: repository }).sort();

const pages = ["README.md", ...list("docs/guides/*.md")];
const examples = list("examples/*.ts");

/** Each is a process of its own, and most load an SDK. */
const run = sized({ full: examples, short: ["examples/engine.ts", "examples/stored-session.ts"] });

describe.each(run)("%s", (example) => {
  test("prints what the page that shows it says", () => {
    const { status, stdout, stderr } = spawnSync("node", [example], { cwd: repository, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const page = pages.find((path) => read(path).includes(`${example})`)) ?? "README.md";
    const [, afterLink = ""] = read(page).split(`${example})`);
    expect(stdout, page).toBe(/^```\n([\s\S]*?)^```$/m.exec(afterLink)?.[1]);
  });
});

describe.each(examples)("%s", (example) => {
  test("is short enough to be read", () => {
    expect(read(example).split("\n").length).toBeLessThanOrEqual(80);
  });
});

describe.each(pages)("%s", (page) => {
  const blocks = [...read(page).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];

  test("shows only code that is part of an example or a port", () => {
    const sources = [...examples, ...list("src/core/ports/*.ts")].map(read);
    const shown = blocks.filter(([, language]) => language !== "").map(([, , code = ""]) => code);
    expect(shown.filter((code) => !sources.some((source) => source.includes(code)))).toEqual([]);
  });
});
