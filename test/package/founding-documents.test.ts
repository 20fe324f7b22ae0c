/** docs/guides/from-the-founding-documents.md: every name is exported where the page says so, and every test that it links to is there. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type PublicName, readDoors } from "../../scripts/public-face.ts";

const repository = resolve(import.meta.dirname, "../..");
const PAGE = "docs/guides/from-the-founding-documents.md";
const SECTIONS = 19;
const read = (path: string) => readFileSync(join(repository, path), "utf8");

interface Row {
  readonly section: number;
  readonly line: string;
  readonly names: readonly string[];
  readonly doors: readonly string[];
  readonly tests: readonly { readonly title: string; readonly path: string }[];
}

const rows = readRows(read(PAGE));
const doors = new Map(
  readDoors(repository).map(({ specifier, values, types }) => [
    specifier,
    { values, names: new Map([...values, ...types].map((each) => [each.name, each])) },
  ]),
);

test("there is a table for each of the nineteen parts", () => {
  expect([...new Set(rows.map(({ section }) => section))]).toEqual(
    Array.from({ length: SECTIONS }, (_, index) => index + 1),
  );
});

test("every row has a name, an import and a test", () => {
  const incomplete = rows.filter(({ names, doors, tests }) => [names, doors, tests].some(({ length }) => length === 0));
  expect(incomplete.map(({ line }) => line)).toEqual([]);
});

describe.each(Array.from({ length: SECTIONS }, (_, index) => index + 1))("part %i", (section) => {
  const own = rows.filter((row) => row.section === section);

  test("names what its imports export", () => {
    const missing = own.flatMap((row) => row.names.filter((name) => !isExported(name, row.doors)));
    expect(missing).toEqual([]);
  });

  test("links to tests that have these titles", () => {
    const tests = own.flatMap((row) => row.tests);
    expect(tests.filter(({ title, path }) => !hasTest(read(path), title))).toEqual([]);
  });
});

test.each(["palimpsest/compat", "palimpsest/agent"])("every value of %s has a row", (door) => {
  const named = new Set(rows.filter((row) => row.doors.includes(door)).flatMap(({ names }) => names));
  const values = doors.get(door)?.values ?? [];
  expect(values.length).toBeGreaterThan(0);
  expect(values.map(({ name }) => name).filter((name) => !named.has(name))).toEqual([]);
});

/** The rows below the numbered headings; other tables are not about imports. */
function readRows(page: string): readonly Row[] {
  return page.split(/^## /m).flatMap((part) => {
    const section = Number(/^(\d+)\. /.exec(part)?.[1] ?? Number.NaN);
    if (Number.isNaN(section)) return [];
    const lines = part.split("\n").filter((line) => line.startsWith("| "));
    return lines.slice(2).map((line) => readRow(section, line));
  });
}

function readRow(section: number, line: string): Row {
  const [, names = "", imports = "", tests = ""] = line.slice(2, -2).split(" | ");
  return {
    ...{ section, line },
    names: codeIn(names),
    doors: codeIn(imports),
    tests: [...tests.matchAll(/\[(.+?)\]\(([^)]+)\)/g)].map(([, title = "", target = ""]) => ({
      title,
      path: join("docs/guides", target),
    })),
  };
}

function codeIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}

/** `Name`, or `Name.member`, whose declaration then has to name the member. */
function isExported(code: string, specifiers: readonly string[]): boolean {
  const [name = "", member] = code.split(".");
  return specifiers.some((specifier) => {
    const found: PublicName | undefined = doors.get(specifier)?.names.get(name);
    if (found === undefined || member === undefined) return found !== undefined;
    return new RegExp(`\\b${member}\\b`).test(read(join("dist", found.file)));
  });
}

/** Whether a call has this title as its first argument: that of `test`, `describe` or one of their tables. */
function hasTest(source: string, title: string): boolean {
  const literal = JSON.stringify(title);
  for (let at = source.indexOf(literal); at >= 0; at = source.indexOf(literal, at + 1)) {
    const isFirst = source.slice(0, at).trimEnd().endsWith("(");
    if (
      isFirst &&
      source
        .slice(at + literal.length)
        .trimStart()
        .startsWith(",")
    )
      return true;
  }
  return false;
}
