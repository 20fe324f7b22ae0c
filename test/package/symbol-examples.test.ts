/** What people read when they hover over a public name: a sentence, and an example that runs. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PublicValue, readDoors } from "../../scripts/public-face.ts";
import { findPostgres, runSql } from "../support/postgres-database.ts";
import {
  distinctValues,
  type ExampleRun,
  examplesOf,
  runExamples,
  typeErrors,
  writeExamples,
} from "../support/symbol-examples.ts";

const NEED_POSTGRES: readonly string[] = ["postgresStore"];
const values = distinctValues(readDoors(resolve(import.meta.dirname, "../..")));
const postgres = await findPostgres();
if ("reason" in postgres) console.warn(`SKIPPED: the examples of ${NEED_POSTGRES.join()}. ${postgres.reason}`);
const isRun = ({ name }: PublicValue) => "connectionString" in postgres || !NEED_POSTGRES.includes(name);
const examples = values.filter(isRun).flatMap(examplesOf);

let folder: string;
let runs: readonly ExampleRun[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-examples-"));
  writeExamples(folder, examples);
  runs = await withDatabase((environment) => runExamples(folder, examples.length, environment));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** An empty one of its own: examples use the names that a person would. */
async function withDatabase<Result>(run: (environment: NodeJS.ProcessEnv) => Result): Promise<Result> {
  if ("reason" in postgres) return run({});
  const { connectionString } = postgres;
  const database = `examples_${randomUUID()}`;
  await runSql(connectionString, `CREATE DATABASE "${database}"`);
  try {
    return run({ DATABASE_URL: Object.assign(new URL(connectionString), { pathname: `/${database}` }).href });
  } finally {
    await runSql(connectionString, `DROP DATABASE "${database}" WITH (FORCE)`);
  }
}

test("every public value says in a sentence what it promises", () => {
  expect(values.filter(({ contract }) => !/\w.*\./s.test(contract)).map(({ name }) => name)).toEqual([]);
});

test("every public value has an example", () => {
  expect(values.filter(({ examples: own }) => own.length === 0).map(({ name }) => name)).toEqual([]);
});

test("every example has types that hold", () => {
  expect(typeErrors(folder)).toBe("");
});

test.each(examples.map((example, index) => ({ ...example, index })))(
  "the example of $name uses it, and prints what it says",
  ({ name, code, expected, index }) => {
    expect(code).toMatch(new RegExp(`^import .*\\b${name}\\b.* from "palimpsest(/[\\w/-]+)?";$`, "m"));
    expect(expected.length).toBeGreaterThan(0);
    expect(runs[index]).toEqual({ printed: expected });
  },
);
