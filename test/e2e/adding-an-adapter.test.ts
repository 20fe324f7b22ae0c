/** docs/adding-an-adapter.md: its code is that of the wire in plain-wire/, and its names are those of a description. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import type { Grouping, WireDescription } from "../../src/adapters/splice/index.ts";
import type { RecallDescription } from "../../src/adapters/splice/wire-description.ts";
import type { ReplyFollower } from "../../src/core/ports/wire-adapter.ts";

const repository = resolve(import.meta.dirname, "../..");
const page = read("docs/adding-an-adapter.md");
const SOURCES = ["plain-wire/plain-adapter", "plain-wire/read-lines", "plain-wire/write-lines", "fifth-wire.test"];
const sources = SOURCES.map((name) => read(`test/e2e/${name}.ts`));
const steps = page.split(/^## \d\. /m).slice(1);

function read(path: string): string {
  return readFileSync(join(repository, path), "utf8");
}

/** Every member, which the compiler holds complete: one that is missing here, or that no longer exists, is a type error. */
const MEMBERS = {
  name: "",
  operationOf: "",
  listPaths: "",
  upstream: "",
  sessions: "",
  limits: "",
  tolerates: "",
  showDamage: "",
  telemetry: "",
  findList: "",
  group: "",
  describe: "",
  canonical: "",
  callId: "",
  withList: "",
  placeBlocks: "",
  editBlock: "",
  writeStandIn: "",
  arrange: "",
  markForCache: "",
  copiedItems: "",
  separator: "",
  limitReply: "",
  followReply: "",
  askCacheDiagnosis: "",
  clearing: "",
  recall: "",
} satisfies Record<keyof WireDescription<Grouping, unknown>, "">;
const RECALL_MEMBERS = {
  offer: "",
  definition: "",
  results: "",
  addResults: "",
  isReply: "",
  forbidCalls: "",
  unansweredLine: "",
  relay: "",
} satisfies Record<keyof RecallDescription, "">;
const FOLLOWER_MEMBERS: readonly (keyof ReplyFollower)[] = ["notes"];

/** The names that the page explains: the first column of its table, and what its list items begin with. */
function explained(): readonly string[] {
  const rows = [...page.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = ""]) => [...cell.matchAll(/`(\w+)`/g)]);
  const items = [...page.matchAll(/^- `(\w+)(?:\([^`]*\))?`/gm)];
  return [...rows, ...items].map(([, name = ""]) => name);
}

/** Without what a formatter decides. */
const normalized = (code: string) => code.replace(/^ +/gm, "").trim();
const blocksOf = (text: string) => [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);

test("every step has code, and all of it is code that the tests run", () => {
  expect(steps.map((step) => blocksOf(step).length)).toEqual([1, 2, 2, 1, 1, 1]);
  for (const code of blocksOf(page)) {
    expect(
      sources.some((source) => normalized(source).includes(normalized(code))),
      code,
    ).toBe(true);
  }
});

test("the code of steps 1 to 4 is the whole description", () => {
  const parts = steps.slice(0, 4).map((step) => blocksOf(step)[0] ?? "");
  const [description = ""] =
    /^export const plainAdapter = createAdapter\([\s\S]*?^\}\);$/m.exec(sources[0] ?? "") ?? [];
  expect(parts.map(normalized).join("\n\n")).toBe(normalized(description));
});

test("the page explains every member of a description, and no other", () => {
  const known = [...Object.keys(MEMBERS), ...FOLLOWER_MEMBERS];
  expect(explained().toSorted()).toEqual(known.toSorted());
  for (const member of Object.keys(RECALL_MEMBERS)) expect(page).toContain(`\`${member}\``);
});

test("functions that the page recommends are exported by the file that it names", () => {
  const named = [...page.matchAll(/((?:`\w+`(?:, | and )?)+) of\s+`((?:splice|core)\/[\w/-]+\.ts)`/g)];
  expect(named.length).toBeGreaterThanOrEqual(5);
  for (const [, names = "", file = ""] of named) {
    const path = file.startsWith("core/") ? `src/${file}` : `src/adapters/${file}`;
    expect(existsSync(join(repository, path)), path).toBe(true);
    for (const [, name = ""] of names.matchAll(/`(\w+)`/g)) expect(read(path)).toContain(`export function ${name}`);
  }
});
