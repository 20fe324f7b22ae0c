import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(repository, path), "utf8");

test.each(["README.md", "CONTRIBUTING.md", ...globSync("docs/**/*.md", { cwd: repository }).sort()])(
  "every file and heading that %s links to exists",
  (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    for (const [link, path = "", heading] of links) {
      const target = path === "" ? page : join(page, "..", path);
      expect(() => readFileSync(join(repository, target)), link).not.toThrow(/ENOENT/);
      if (heading !== undefined) expect(headingsOf(read(target)), link).toContain(heading);
    }
  },
);

test("the index of decisions has every page once, with its title", () => {
  const rows = [...read("docs/decisions/README.md").matchAll(/^\| \[(\d{4})\]\((.+?)\) \| (.+?) \| .+ \|$/gm)];
  const listed = rows.map(([, number, path, title]) => ({ number, path, title: title?.toLowerCase() }));
  const pages = globSync("docs/decisions/[0-9]*.md", { cwd: repository }).sort();
  const titled = pages.map((page) => {
    const [, number, title] = /^# (\d{4}): (.+)$/m.exec(read(page)) ?? [];
    return { number, path: page.replace("docs/decisions/", ""), title: title?.toLowerCase() };
  });
  expect(listed).toEqual(titled);
});

/** As they are named in links. */
function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test("the README has three doors of at most eight lines of code, behind one sentence, a picture and the install line", () => {
  const [front = "", ...doors] = read("README.md").split(/^## /m);
  expect(front).toMatch(/^# Palimpsest\n\n\*\*.+\*\*\n/);
  expect(front.indexOf("![")).toBeLessThan(front.indexOf("npm install palimpsest"));
  const [run, build, look] = doors.slice(0, 3).map((door) => {
    const [code = ""] = [...door.matchAll(/```\w*\n([\s\S]*?)\n```/g)].map(([, lines = ""]) => lines);
    return { title: door.slice(0, door.indexOf("\n")), lines: code.split("\n").length };
  });
  expect([run?.title, build?.title, look?.title]).toEqual(["I run an agent", "I build one", "I want to look"]);
  for (const door of [run, build, look]) expect(door?.lines).toBeLessThanOrEqual(8);
});
