import { expect, test } from "vitest";
import { assertSchemaName, quoteName } from "./schema-name.ts";

test.each([
  "",
  "pg_mine",
  "PG_mine",
  "information_schema",
  "a\0b",
  "\ud800",
  "x".repeat(64),
  "漢".repeat(22),
  7,
  undefined,
])("refuses %j as the name of a schema", (name) => {
  expect(() => assertSchemaName(name)).toThrow(/schema is .*must be 1 to 63 bytes/);
});

test.each(["palimpsest", "x".repeat(63), 'we"ird; DROP', "漢字", "Mixed Case"])("takes %j", (name) => {
  expect(() => assertSchemaName(name)).not.toThrow();
});

test("quotes a name so that nothing in it is SQL", () => {
  expect(quoteName('a"; DROP SCHEMA b; --')).toBe('"a""; DROP SCHEMA b; --"');
});
