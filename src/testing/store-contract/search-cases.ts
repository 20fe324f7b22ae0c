import assert from "node:assert/strict";
import type { FoundRecord, SearchOptions, Store, StoredSession } from "../../core/ports/store.ts";
import { append, storeCase } from "./contract-case.ts";

/** Terms that mean something to a query language, and near misses of each other. */
const AWKWARD_TERMS: readonly string[] = [
  String.raw`and or not near near(a * a* ^a -a +a a:b terms:a {a}:b (a a) " "" "a" ' '' a'b a''b \ \\ a\ a\b a\'b % _ a% a_b a%b`,
  "a&b a|b !a a<->b :* a:a < > $1 ? ?1 ; -- /* # @ = , [] {} ` a ab abc a-b a.b a/b b 0 00 z zz z27 null select c++ c#",
  "漢 漢字 字漢 字 カタ ｶﾀ 한글 ไทย é e\u0301 e ß ss ı i ﬁ fi 😀 😁 ² 2 \u0001 a\u0001 \u007f \u00ad a\u00ad \u200b \u200d \ufffd",
  `src/a.ts:12 ${"x".repeat(511)} ${"x".repeat(512)} ${"x".repeat(511)}y ${"漢".repeat(512)}`,
].flatMap((line) => line.split(" "));

export const searchCases = [
  storeCase("finds every term exactly, whatever characters it has", async (store) => {
    const session = await store.open("s");
    await append(
      store,
      session,
      AWKWARD_TERMS.map((term) => ({ body: "0", terms: [term] })),
    );
    for (const [index, term] of AWKWARD_TERMS.entries()) {
      assert.deepEqual(await versions(store, [term]), [index + 1], `the term ${JSON.stringify(term.slice(0, 20))}`);
    }
  }),

  storeCase("records without terms, and terms of no record, are not found", async (store) => {
    const session = await store.open("s");
    await append(store, session, ["word", { body: '"word"', terms: [] }, { body: "1", terms: ["other"] }]);
    assert.deepEqual(await store.search(["word"]), []);
    assert.deepEqual(await store.search([]), []);
  }),

  storeCase("ranks by how many of the terms a record holds, of equals the newest first", async (store) => {
    const session = await store.open("s");
    const held = [["a"], ["a", "b"], ["c"], ["a", "b", "c"], ["b", "a"], ["c", "x"], ["x"]];
    await append(
      store,
      session,
      held.map((terms) => ({ body: "0", terms })),
    );
    const ranking = [
      [4, 3],
      [5, 2],
      [2, 2],
      [6, 1],
      [3, 1],
      [1, 1],
    ] as const;
    const expected = ranking.map(([version, matches]) => foundIn(session, version, matches));
    assert.deepEqual(await store.search(["a", "b", "c"]), expected);
    assert.deepEqual(await store.search(["missing", "c", "b", "a"]), expected);
  }),

  storeCase("counts a term once, however often it is asked for or held", async (store) => {
    const session = await store.open("s");
    await append(store, session, [
      { body: "0", terms: ["a", "a", "a", "a"] },
      { body: "0", terms: ["a", "b"] },
    ]);
    assert.deepEqual(await store.search(["a", "a", "b", "a"]), [foundIn(session, 2, 2), foundIn(session, 1, 1)]);
  }),

  storeCase("gives the best, up to the limit", async (store) => {
    const session = await store.open("s");
    await append(store, session, [{ body: "0", terms: ["a", "b"] }, ...wordRecords(10)]);
    assert.deepEqual(await versions(store, ["a", "b", "word"], { limit: 3 }), [1, 11, 10]);
    assert.equal((await store.search(["a", "b", "word"])).length, 11);
    assert.deepEqual(await store.search(["a"], { limit: 0 }), []);
  }),

  storeCase("searches all sessions, or one; of equals the session made last comes first", async (store) => {
    const [old, young] = [await store.open("old"), await store.open("young")];
    await append(store, young, wordRecords(2));
    await append(store, old, [...wordRecords(2), { body: "0", terms: ["word", "more"] }]);
    const [newest, oldest] = old.key > young.key ? [old, young] : [young, old];
    const ofOld = [foundIn(old, 3, 2), foundIn(old, 2, 1), foundIn(old, 1, 1)];
    const rest = [newest, oldest].flatMap((session) => [foundIn(session, 2, 1), foundIn(session, 1, 1)]);
    assert.deepEqual(await store.search(["word", "more"]), [foundIn(old, 3, 2), ...rest]);
    assert.deepEqual(await store.search(["word", "more"], { sessionKey: old.key }), ofOld);
    assert.deepEqual(await versions(store, ["word"], { sessionKey: young.key }), [2, 1]);
  }),

  storeCase("finds a record by each of thirty thousand terms", async (store) => {
    const session = await store.open("s");
    const terms = Array.from({ length: 30_000 }, (_, index) => `term-${index}`);
    await append(store, session, [{ body: "0", terms }]);
    for (const term of ["term-0", "term-15000", "term-29999"]) assert.deepEqual(await versions(store, [term]), [1]);
    const many = terms.slice(0, 2_000);
    assert.deepEqual(await store.search(many), [foundIn(session, 1, 2_000)]);
  }),

  storeCase("odd terms never keep a record out", async (store) => {
    const session = await store.open("s");
    const odd = ["A", "two words", " ", "\t\n", "\u00a0", "a\0b", "\0", "\ud800", "a\udc00b"];
    await append(store, session, [{ body: "1", terms: [...odd, "fine"] }]);
    assert.deepEqual(await versions(store, ["fine"]), [1]);
    assert.equal((await store.read(session.key)).length, 1);
    // Whether they are found is open; that the question is answered is not.
    for (const term of odd) await store.search([term]);
  }),
];

function foundIn({ key, id }: StoredSession, version: number, matches: number): FoundRecord {
  return { sessionKey: key, sessionId: id, version, matches };
}

function wordRecords(count: number): readonly { body: string; terms: string[] }[] {
  return Array.from({ length: count }, () => ({ body: "0", terms: ["word"] }));
}

async function versions(store: Store, terms: readonly string[], options?: SearchOptions): Promise<readonly number[]> {
  return (await store.search(terms, options)).map(({ version }) => version);
}
