import { expect, test } from "vitest";
import { type Fault, unmetPromises } from "../../../test/support/faults.ts";
import { interceptStore } from "../../../test/support/intercepted-store.ts";
import { sqlitePlace } from "../../../test/support/stores.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { createEngine } from "../create-engine.ts";

const LINEAGE = { scopeId: "codex:1/2", ownName: "codex:2", parentName: "codex:1", keys: ["l:1", "l:2"] };

test("recordLineage refuses what is no lineage, and says what is wrong, where, and what it must be", async () => {
  const session = await createEngine({ model: "gpt-5", store: sqlitePlace().open() }).session("codex:1/2");
  const faults: readonly Fault[] = [
    [undefined, /lineage is undefined; it must be an object/],
    [null, /lineage is null; it must be an object/],
    ["codex:1", /lineage is "codex:1"; it must be an object/],
    [{}, /lineage\.scopeId is undefined; it must be a string that is not empty/],
    [{ ...LINEAGE, scopeId: "" }, /lineage\.scopeId is ""; it must be a string that is not empty/],
    [{ ...LINEAGE, ownName: 5 }, /lineage\.ownName is 5; it must be a string that is not empty/],
    [{ ...LINEAGE, parentName: null }, /lineage\.parentName is null; it must be a string that is not empty/],
    [{ ...LINEAGE, keys: undefined }, /lineage\.keys is undefined; it must be an array/],
    [{ ...LINEAGE, keys: "l:1" }, /lineage\.keys is "l:1"; it must be an array/],
    [{ ...LINEAGE, keys: ["l:1", ""] }, /lineage\.keys\[1\] is ""; it must be/],
    [{ ...LINEAGE, keys: [7] }, /lineage\.keys\[0\] is 7; it must be/],
    [{ ...LINEAGE, keys: ["l:1 l:2"] }, /lineage\.keys\[0\] is "l:1 l:2"; it must be/],
    [{ ...LINEAGE, keys: ["L:1"] }, /lineage\.keys\[0\] is "L:1"; it must be/],
  ];
  const record = (lineage: unknown) => Reflect.apply(session.recordLineage, session, [lineage]);
  expect(await unmetPromises(record, faults)).toEqual([]);
  await expect(record(undefined)).rejects.toMatchObject({ code: "invalid-argument" });
  await expect(record(undefined)).rejects.toThrow(PalimpsestError);
  expect(await session.events()).toEqual([]);
  await session.recordLineage(LINEAGE);
  expect(await session.events()).toMatchObject([{ type: "lineage", ...LINEAGE }]);
});

test("recordCompaction refuses keys that the store would not find it by", async () => {
  const session = await createEngine({ model: "gpt-5", store: sqlitePlace().open() }).session("codex:1");
  await expect(session.recordCompaction(["Two words"])).rejects.toThrow(
    /keys\[0\] is "Two words"; it must be lower case/,
  );
  await session.append({ role: "user", content: "The session goes on." });
  expect(await session.log()).toHaveLength(1);
});

test("a lineage is kept once, whoever records it again, and is found by its keys", async () => {
  const place = sqlitePlace();
  const [here, there] = await Promise.all(
    [place.open(), place.open()].map((store) => createEngine({ model: "gpt-5", store }).session("codex:1/2")),
  );
  await here?.recordLineage(LINEAGE);
  await here?.recordLineage(LINEAGE);
  await there?.recordLineage(LINEAGE);
  expect((await there?.events())?.filter(({ type }) => type === "lineage")).toHaveLength(1);
  expect(await place.open().search(["l:2"])).toMatchObject([{ sessionId: "codex:1/2", version: 1 }]);
});

test("a lineage that could not be written is kept when it is recorded again", async () => {
  const place = sqlitePlace();
  let isBroken = false;
  const before = (call: string) => {
    if (isBroken && call === "append") throw new Error("The disk is full.");
  };
  const store = interceptStore(place.open(), { before });
  const session = await createEngine({ model: "gpt-5", store }).session("codex:1/2");
  await session.append({ role: "user", content: "Read the notes." });
  isBroken = true;
  await expect(session.recordLineage(LINEAGE)).rejects.toThrow("The disk is full.");
  isBroken = false;
  await session.recordLineage(LINEAGE);
  const later = await createEngine({ model: "gpt-5", store: place.open() }).session("codex:1/2");
  expect((await later.events()).filter(({ type }) => type === "lineage")).toHaveLength(1);
  expect(await later.verify()).toMatchObject({ type: "intact" });
});
