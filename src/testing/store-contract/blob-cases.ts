import assert from "node:assert/strict";
import type { Store, StoredBlob, StoredSession } from "../../core/ports/store.ts";
import { append, readBodies, rejectsWith, storeCase } from "./contract-case.ts";

const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, value) => value);

function blob(name: string, ...bytes: readonly number[]): StoredBlob {
  return { name, bytes: Uint8Array.from(bytes) };
}

async function readSorted(store: Store, { key }: Pick<StoredSession, "key">, names: readonly string[]) {
  const found = await store.readBlobs(key, names);
  return found.map(({ name, bytes }) => [name, ...bytes]).toSorted();
}

export const blobCases = [
  storeCase(
    "blobs come back byte for byte by their names, and those that are not there are left out",
    async (store) => {
      const session = await store.open("s");
      await append(store, session, [
        { body: "1", blobs: [{ name: "all", bytes: EVERY_BYTE }, blob("none")] },
        { body: "2", blobs: [blob("B", 1), blob("b", 2)] },
      ]);
      assert.deepEqual(await readSorted(store, session, ["b", "none", "nobody", "b"]), [["b", 2], ["none"]]);
      assert.deepEqual(await readSorted(store, session, ["all"]), [["all", ...EVERY_BYTE]]);
      assert.deepEqual(await store.readBlobs(session.key, []), []);
      assert.deepEqual(await readBodies(store, session), ["1", "2"]);
    },
  ),

  storeCase("a blob whose name the session has is left as it is, also within one append", async (store) => {
    const session = await store.open("s");
    await append(store, session, [{ body: "1", blobs: [blob("a", 1), blob("a", 2)] }]);
    await append(store, session, [{ body: "2", blobs: [blob("a", 3), blob("b", 4)] }]);
    assert.deepEqual(await readSorted(store, session, ["a", "b"]), [
      ["a", 1],
      ["b", 4],
    ]);
  }),

  storeCase("blobs belong to their session alone, and are destroyed with it", async (store) => {
    const [gone, kept] = [await store.open("gone"), await store.open("kept")];
    await append(store, gone, [{ body: "1", blobs: [blob("a", 1), blob("b", 1)] }]);
    await append(store, kept, [{ body: "1", blobs: [blob("a", 2)] }]);
    assert.deepEqual(await readSorted(store, kept, ["a", "b"]), [["a", 2]]);
    await store.delete("gone");
    await rejectsWith("not-found", store.readBlobs(gone.key, ["a"]));
    assert.deepEqual(await readSorted(store, await store.open("gone"), ["a", "b"]), []);
    assert.deepEqual(await readSorted(store, kept, ["a", "b"]), [["a", 2]]);
  }),

  storeCase("an append that is refused keeps no blobs", async (store) => {
    const session = await store.open("s");
    const refused = await store.append(session.key, [{ body: "1", blobs: [blob("a", 1)] }], { expectedVersion: 7 });
    assert.equal(refused.type, "conflict");
    assert.deepEqual(await store.readBlobs(session.key, ["a"]), []);
  }),

  storeCase("changing given or returned bytes changes nothing that is stored", async (store) => {
    const session = await store.open("s");
    const given = Uint8Array.of(1);
    const appended = append(store, session, [{ body: "1", blobs: [{ name: "a", bytes: given }] }]);
    given[0] = 9;
    await appended;
    const [found] = await store.readBlobs(session.key, ["a"]);
    if (found !== undefined) found.bytes[0] = 8;
    assert.deepEqual(await readSorted(store, session, ["a"]), [["a", 1]]);
  }),

  storeCase("blobs without a name or without bytes are refused", async (store) => {
    const session = await store.open("s");
    const refuse = (blobs: readonly unknown[]) =>
      rejectsWith("invalid-argument", Reflect.apply(store.append, store, [session.key, [{ body: "1", blobs }]]));
    await refuse([blob("", 1)]);
    await refuse([{ name: "a", bytes: "text" }]);
    await refuse([undefined]);
    await rejectsWith("invalid-argument", store.readBlobs(session.key, [""]));
    assert.deepEqual(await readBodies(store, session), []);
  }),
];
