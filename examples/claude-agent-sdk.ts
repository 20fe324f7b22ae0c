import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ClaudeSessionEntry, palimpsestSessionStore } from "palimpsest/claude-agent-sdk";
import { sqliteStore } from "palimpsest/stores/sqlite";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-example-"));
const path = join(folder, "palimpsest.db");

// Palimpsest adds a store for the transcripts. With the SDK: query({ prompt, options: { sessionStore } }).
const store = sqliteStore({ path });
const sessionStore = palimpsestSessionStore({ store });

// The SDK is 419 MB, so this example makes its calls: it appends messages, and sends some again after a failure.
const key = { projectKey: "harbour", sessionId: "light-7" };
const entries: ClaudeSessionEntry[] = [
  { type: "user", uuid: "u1", message: { role: "user", content: "Why does the light blink twice?" } },
  { type: "assistant", uuid: "u2", message: { role: "assistant", content: "Relay K7 is loose." } },
];
await sessionStore.append(key, entries);
await sessionStore.append(key, entries.slice(1));
const subagent = { ...key, subpath: "subagents/agent-1" };
await sessionStore.append(subagent, [
  { type: "user", uuid: "s1", message: { role: "user", content: "Read lamp-7.log." } },
]);
await store.close();

// Another process, or another machine with the same database, resumes it: query({ options: { sessionStore, resume: "light-7" } }).
const later = sqliteStore({ path });
const resumed = palimpsestSessionStore({ store: later });
console.log(JSON.stringify(await resumed.load(key)) === JSON.stringify(entries), "that it is as it was written");
console.log((await resumed.listSessions("harbour")).map(({ sessionId }) => sessionId));
console.log(await resumed.listSubkeys(key));
await resumed.delete(key);
console.log(await resumed.load(key), await resumed.load(subagent));

await later.close();
rmSync(folder, { recursive: true });
