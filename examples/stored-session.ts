import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, PalimpsestError } from "palimpsest";
import { workspaceCheckpoints } from "palimpsest/checkpoints";
import { sqliteStore } from "palimpsest/stores/sqlite";

const folder = await mkdtemp(join(tmpdir(), "harbour-"));
const path = join(folder, "sessions.db");
const workspace = join(folder, "project");
const code = join(workspace, "light.ts");
await mkdir(workspace);

// Without a path, the database is in your data folder, where the command line looks too.
const store = sqliteStore({ path });
const engine = createEngine({ model: "claude-sonnet-4-5", store });
const files = workspaceCheckpoints({ workspace, storageFolder: join(folder, "checkpoints") });
const session = await engine.session("harbour-light", { workspace: files });

// Keep a moment: the log, a state of your own, and the files.
await session.append({ id: "goal", role: "user", content: "Make the harbour light blink once." });
await writeFile(code, "const blinks = 2;\n");
const checkpoint = await session.checkpoint({ state: { phase: "looking" } });

// The agent goes wrong.
await session.append({ id: "edit", role: "assistant", content: "The light does not blink any longer." });
await session.append({ id: "no", role: "user", content: "Once, not never!" });
await writeFile(code, "const blinks = 0;\n");

// Go back, and forward again: nothing is lost.
const { messagesRemoved } = await session.rewind({ toCheckpoint: checkpoint.id, files: true });
console.log(`${messagesRemoved} messages set aside: ${await readFile(code, "utf8")}`.trim());
await session.rewind({ undo: true, files: true });
console.log(`${(await session.log()).length} messages again: ${await readFile(code, "utf8")}`.trim());

// Try something else from an earlier moment, in a session of its own.
const branch = await session.branch("another-way", { toMessage: "goal" });
await branch.append({ role: "assistant", content: "It blinks once now." });
console.log(`${branch.id}: ${(await branch.log()).length} messages`);

// Another process on the same file: both append, and both see all messages in the same order.
const otherStore = sqliteStore({ path });
const other = await createEngine({ model: "claude-sonnet-4-5", store: otherStore }).session("harbour-light");
await Promise.all([
  session.append({ role: "assistant", content: "I try again." }),
  other.append({ role: "user", content: "Lamp 7, please." }),
]);
console.log(`the same view: ${JSON.stringify(await session.view()) === JSON.stringify(await other.view())}`);

// Nobody else changes a message while you hold its lock.
const lock = await session.lock("goal", { holder: "the editor" });
await other.mark("no", { important: true });
const change = other.update("goal", (goal) => goal.map((message) => ({ ...message, content: "…" })), { timeoutMs: 50 });
await change.catch((error) => console.log(error instanceof PalimpsestError && error.code));
await lock.release();

// List the sessions, export one as plain data, and delete it: the only call that destroys.
for (const { id, version } of await engine.sessions()) console.log(`${id}: version ${version}`);
const exported = await session.export();
await engine.deleteSession("harbour-light");
const again = await engine.importSession(exported);
console.log(`imported: version ${await again.version()}`);

await Promise.all([store.close(), otherStore.close()]);
await rm(folder, { recursive: true });
