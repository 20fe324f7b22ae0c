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

/** As they are named in links. */
function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, "")
      .replaceAll(" ", "-"),
  );
}
