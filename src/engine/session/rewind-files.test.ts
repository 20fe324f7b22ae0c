import { expect, test } from "vitest";
import type { WorkspaceFiles } from "../../core/ports/workspace.ts";
import { memoryStore } from "../../stores/memory/index.ts";
import { createEngine } from "../create-engine.ts";
import type { Session } from "./session.ts";

/** Files that are one text, kept under ids that count up. */
function textFiles() {
  const kept: string[] = [];
  let text = "";
  const save = async () => ({ id: String(kept.push(text) - 1) });
  const files: WorkspaceFiles = {
    save,
    restore: async (id) => {
      const { id: savedId } = await save();
      text = kept[Number(id)] ?? "lost";
      return { savedId, changed: [{ path: id, type: "written" }], kept: [] };
    },
    preview: async (id) => [{ path: id, type: "written" }],
  };
  return { files, text: () => text, write: (next: string) => (text = next) };
}

async function sessionWithFiles() {
  const { files, text, write } = textFiles();
  const session = await createEngine({ model: "claude-sonnet-4-5", store: memoryStore() }).session("s", {
    workspace: files,
  });
  return { session, files, text, write };
}

async function say(session: Session, id: string): Promise<void> {
  await session.append({ role: "user", content: id, id });
}

async function twoBranches(options: { readonly files: boolean }) {
  const { session, text, write } = await sessionWithFiles();
  await say(session, "first");
  write("of the first");
  await session.checkpoint();
  await say(session, "second");
  write("of the second");
  await session.checkpoint();
  await session.rewind({ toMessage: "first", ...options });
  await say(session, "third");
  await say(session, "fourth");
  write("spoiled");
  await session.rewind({ toMessage: "third", files: true });
  return text();
}

test("files that were rewound do not come back from the branch that was left", async () => {
  expect(await twoBranches({ files: true })).toBe("of the first");
});

test("files that were not rewound with the log are still those of before", async () => {
  expect(await twoBranches({ files: false })).toBe("of the second");
});

test("files of a person's turn come back for what they said, and for the moment right before it", async () => {
  const { session, files, text, write } = await sessionWithFiles();
  await say(session, "first");
  write("of the first");
  const { id: filesId } = await files.save();
  await say(session, "second");
  const made = await session.checkpoint({ turn: { version: 1, filesId } });
  expect(made).toMatchObject({ reason: "turn", version: 1, messages: 1, filesId });
  for (const includeMessage of [true, false]) {
    write("of the second");
    await session.rewind({ toMessage: "second", includeMessage, files: true });
    expect(text()).toBe("of the first");
    await session.rewind({ undo: true });
    expect(text()).toBe("of the second");
  }
});

test("a dry run says what would be done, and does nothing", async () => {
  const { session, text, write } = await sessionWithFiles();
  await say(session, "first");
  write("of the first");
  await session.checkpoint();
  await say(session, "second");
  write("of the second");
  const version = await session.version();
  const told = await session.rewind({ toMessage: "first", files: true, dryRun: true });
  expect(told).toEqual({
    version: version + 1,
    toVersion: 1,
    messagesRemoved: 1,
    filesId: "0",
    files: { changed: [{ path: "0", type: "written" }], kept: [] },
  });
  expect([await session.version(), (await session.log()).length, text()]).toEqual([version, 2, "of the second"]);
  expect(await session.rewind({ toMessage: "first", files: true })).toMatchObject(told);
  expect(text()).toBe("of the first");
});

test("to undo a rewind of the messages alone leaves the files alone", async () => {
  const { session, text, write } = await sessionWithFiles();
  await say(session, "first");
  await session.checkpoint();
  await say(session, "second");
  await session.rewind({ toMessage: "first" });
  write("later");
  await session.rewind({ undo: true });
  expect(text()).toBe("later");
});

test("an engine has the files of every session, of branches too, and forgets them with it", async () => {
  const { files, text, write } = textFiles();
  const removed: string[] = [];
  const workspaceOf = (id: string) => ({ ...files, remove: async () => void removed.push(id) });
  const engine = createEngine({ model: "claude-sonnet-4-5", store: memoryStore(), workspaceOf });
  const session = await engine.session("s");
  await say(session, "first");
  const branch = await session.branch("b");
  write("as it was");
  const { id } = await branch.checkpoint();
  write("spoiled");
  await branch.rewind({ toCheckpoint: id, files: true });
  expect(text()).toBe("as it was");
  expect([await engine.deleteSession("none"), await engine.deleteSession("b"), removed]).toEqual([false, true, ["b"]]);
});
