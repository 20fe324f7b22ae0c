import { describe, expect, test } from "vitest";
import { cpuTimeMs } from "../../../../test/support/cpu-time.ts";
import { assistant, call, result, user } from "../../../../test/support/messages.ts";
import type { Message } from "../../message/message.ts";
import { viewLines } from "../view/render-view.ts";
import { measureView } from "./measure-view.ts";
import { indexSourceLines } from "./source-lines.ts";

const LONG_LINE =
  "the migration of the accounts table renames user_id to account_id and keeps a view with the old name for readers";
const LONG_PATH = "/srv/deployments/production/eu-central/config/feature-flags.yaml";

const LOG: readonly Message[] = [
  user(`Why does openStore() fail in src/store.ts?\n${LONG_LINE}`),
  assistant("Let me look.", call("c1", "Read", { file_path: "src/store.ts" })),
  user(result("c1", "    12→  const handle = open_handle(path);\n    13→  return handle;")),
  assistant(call("c2", "Glob", { pattern: "**/*.yaml" })),
  user(result("c2", `${LONG_PATH}\nsrc/other.ts\n./src/third.ts`)),
];

const IDENTIFIERS = [
  "src/store.ts",
  "openStore",
  "open_handle",
  "account_id",
  LONG_PATH,
  "src/other.ts",
  "src/third.ts",
];

function measure(view: string, identifiers: readonly string[] = IDENTIFIERS, editLines: readonly string[] = []) {
  const asked = new Set(identifiers);
  const questions = { source: indexSourceLines(LOG, asked), identifiers: asked, editLines: new Set(editLines) };
  const { shown, carried, editLines: edits } = measureView(viewLines(view), questions);
  return { shown: [...shown].sort(), carried: [...carried].sort(), edits: [...edits] };
}

describe("a needed identifier is shown", () => {
  test("wherever it stands as a whole", () => {
    expect(measure("see `src/store.ts`, openStore").shown).toEqual(["openStore", "src/store.ts"]);
    expect(measure("src/store.tsx openStores lib/src/store.ts").shown).toEqual([]);
  });
});

describe("a needed identifier is carried", () => {
  test("by a whole source line, however it is indented", () => {
    expect(measure("   Why does openStore() fail in src/store.ts?  ").carried).toEqual(["openStore", "src/store.ts"]);
  });

  test("by a source line below a label, or without the number that a tool gave it", () => {
    expect(measure("- [m3] 12→  const handle = open_handle(path);").carried).toEqual(["open_handle"]);
    expect(measure("m3: const handle = open_handle(path);").carried).toEqual(["open_handle"]);
  });

  test("by the arguments of a call, under their names or as JSON", () => {
    expect(measure("file_path: src/store.ts").carried).toEqual(["src/store.ts"]);
    expect(measure('Read {"file_path":"src/store.ts"}').carried).toEqual(["src/store.ts"]);
  });

  test("by a piece of a long line with 40 characters of it around the identifier, not by one with 39", () => {
    const at = LONG_LINE.indexOf("account_id");
    const around = (before: number, after: number) => LONG_LINE.slice(at - before, at + "account_id".length + after);
    expect(measure(`… ${around(20, 20)} …`).carried).toEqual(["account_id"]);
    expect(measure(around(0, 40)).carried).toEqual(["account_id"]);
    expect(measure(around(19, 20)).carried).toEqual([]);
  });

  test("not by a list of names, on one line or on many", () => {
    expect(measure(IDENTIFIERS.join(", "))).toMatchObject({ shown: [...IDENTIFIERS].sort(), carried: [] });
    expect(measure(IDENTIFIERS.join("\n")).carried).toEqual([]);
    expect(measure(IDENTIFIERS.map((value) => `- [m1] \`${value}\``).join("\n")).carried).toEqual([]);
  });

  test("not by a line of the source that is nothing but the name, however long the name is", () => {
    expect(measure(`${LONG_PATH}\nsrc/other.ts\n./src/third.ts`).carried).toEqual([]);
  });

  test("not by words that were never said, nor by a label before a source line", () => {
    expect(
      measure("openStore() in src/store.ts fails because account_id was renamed by the migration").carried,
    ).toEqual([]);
    expect(measure("openStore: const handle = open_handle(path);").carried).toEqual(["open_handle"]);
  });
});

describe("a line that a later edit expects", () => {
  const line = "const handle = open_handle(path);";

  test("is shown as a line of its own, numbered or not, but not inside another", () => {
    expect(measure(`  ${line}`, [], [line]).edits).toEqual([line]);
    expect(measure(`    12→  ${line}`, [], [line]).edits).toEqual([line]);
    expect(measure(`+  ${line}`, [], [line]).edits).toEqual([line]);
    expect(measure(`before ${line} after`, [], [line]).edits).toEqual([]);
  });
});

test("an empty view shows nothing, and one line of a million characters is read in no time", () => {
  expect(measure("")).toEqual({ shown: [], carried: [], edits: [] });
  const huge = `openStore(${"x".repeat(200_000)}) ${"src/store.ts ".repeat(60_000)}`;
  const measuring = () => expect(measure(huge)).toMatchObject({ shown: ["openStore", "src/store.ts"], carried: [] });
  expect(cpuTimeMs(measuring)).toBeLessThan(2_000);
});
