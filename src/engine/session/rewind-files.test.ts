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
      return { savedId };
    },
  };
  return { files, text: () => text, write: (next: string) => (text = next) };
}

async function sessionWithFiles() {
  const { files, text, write } = textFiles();
  const session = await createEngine({ model: "claude-sonnet-4-5", store: memoryStore() }).session("s", {
    workspace: files,
  });
  return { session, text, write };
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
