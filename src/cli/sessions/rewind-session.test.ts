import { expect, test } from "vitest";
import { toolLoop } from "../../../test/support/sessions.ts";
import { createEngine } from "../../engine/create-engine.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { styleFor } from "../terminal/output.ts";
import { readDetails } from "./read-sessions.ts";
import { renderDetails } from "./render-details.ts";
import { renderRewind } from "./render-rewind.ts";
import { rehearsalOf, rewindAndCompare } from "./rewind-session.ts";

const PLAIN = { columns: 100, style: styleFor({ write: () => undefined }, {}) };

/** A prompt and twenty calls (41 messages), condensed (one patch, one event), and one more message. */
async function foldedSession() {
  const store = memoryStore();
  const engine = createEngine({ model: "claude-sonnet-4-5", store });
  const session = await engine.session("s", { messages: toolLoop(20, 200) });
  const { condenseId = "" } = await session.condense();
  await session.append({ role: "user", content: "And now?\u001b[2J", id: "late" });
  const details = async () => readDetails(session, await store.open("s"));
  return { store, session, condenseId, details };
}

test("a dry run tells what the rewind then does, and changes nothing", async () => {
  const { store, session, condenseId } = await foldedSession();
  const before = JSON.stringify(await session.export());
  const plan = { target: { toMessage: "m30" }, files: undefined };
  const tried = await rewindAndCompare(session, { ...plan, rehearsal: await rehearsalOf(session, store) });
  expect(JSON.stringify(await session.export())).toBe(before);
  const done = await rewindAndCompare(session, { ...plan, rehearsal: undefined });
  expect(tried).toEqual({ ...done, isDryRun: true });
  expect(done.removed.map(({ id }) => id)).toEqual([
    ...Array.from({ length: 10 }, (_, index) => `m${31 + index}`),
    "late",
  ]);
  expect(done.foldsRemoved.map(({ foldId }) => foldId)).toEqual([condenseId]);
  expect(done.viewTokensAfter).toBeGreaterThan(done.viewTokensBefore);
});

test("an undo tells what comes back", async () => {
  const { session, condenseId } = await foldedSession();
  await session.rewind({ toMessage: "m40" });
  const undone = await rewindAndCompare(session, { target: { undo: true }, rehearsal: undefined, files: undefined });
  expect(undone.broughtBack).toEqual([
    { version: 44, id: "late", name: "late", role: "user", tokens: 7, isPinned: false, what: "And now?␛[2J" },
  ]);
  expect(undone.foldsBroughtBack.map(({ foldId }) => foldId)).toEqual([condenseId]);
  const text = renderRewind(undone, PLAIN);
  expect(text).toContain("1 message brought back\n    44  late  user  And now?␛[2J\n");
  expect(text).toContain(`rewind "s" --to-version ${undone.fromVersion} takes it back`);
});

test("messages are told apart by their versions, also where they have no ids or the same", async () => {
  const session = await createEngine({ model: "claude-sonnet-4-5", store: memoryStore() }).session("s");
  const hello = { role: "user", content: "Hello" } as const;
  await session.append(hello, hello, { ...hello, id: "a" }, { ...hello, id: "a" });
  const { removed } = await rewindAndCompare(session, {
    target: { toVersion: 1 },
    rehearsal: undefined,
    files: undefined,
  });
  expect(removed.map(({ version, id }) => [version, id])).toEqual([
    [2, undefined],
    [3, "a"],
    [4, "a"],
  ]);
});

test("the details name each visible message's version, and what each version is", async () => {
  const { session, condenseId, details } = await foldedSession();
  const folded = await details();
  expect(folded.view.filter(({ version }) => version === undefined).map(({ id }) => id)).toEqual([condenseId]);
  expect(folded.view.at(-1)).toMatchObject({ version: 44, id: "late" });
  expect(folded.messages).toBe(42);
  await session.rewind({ toVersion: 41 });
  await session.append({ role: "user", content: "Another way." });
  expect((await details()).versions).toEqual([
    { from: 1, to: 41, what: "41 messages added", isSetAside: false },
    { from: 42, to: 42, what: `folded: ${condenseId}`, isSetAside: true },
    { from: 44, to: 44, what: "1 message added", isSetAside: true },
    { from: 45, to: 45, what: "rewound to 41", isSetAside: false },
    { from: 47, to: 47, what: "1 message added", isSetAside: false },
  ]);
});

test("the details fit the screen, show the newest rows, and do not let a message steer the terminal", async () => {
  const { details } = await foldedSession();
  const text = renderDetails(await details(), { ...PLAIN, now: Date.now(), limit: 3 });
  expect(text).not.toContain("\u001b");
  expect(text).toMatch(/… \d+ older messages; --limit N shows more/);
  expect(text).toContain("late");
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
});
