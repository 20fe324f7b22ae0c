import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readTranscriptFolder } from "./read-transcript-folder.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-folder-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("reads every transcript below a folder in the order of names, and says why a file is none", async () => {
  const talk = [
    { role: "user", content: "hello" },
    { role: "assistant", content: "hi" },
  ];
  mkdirSync(join(folder, "deep"));
  writeFileSync(join(folder, "deep", "b.json"), JSON.stringify(talk));
  writeFileSync(join(folder, "a.json"), JSON.stringify(talk));
  writeFileSync(join(folder, "c.json"), JSON.stringify({ some: "settings" }));
  writeFileSync(join(folder, "notes.md"), "not even looked at");
  const { transcripts, refused } = await readTranscriptFolder(folder);
  expect(transcripts.map(({ name, messages }) => [name, messages.length])).toEqual([
    ["a.json", 2],
    [join("deep", "b.json"), 2],
  ]);
  expect(refused).toEqual([{ name: "c.json", reason: expect.stringContaining("known formats") }]);
});

test("finds nothing in a folder that is not there", async () => {
  expect(await readTranscriptFolder(join(folder, "gone"))).toEqual({ transcripts: [], refused: [] });
});
