import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRecallIndex, foldToFit, getEffectiveApiHistory, renderRecall } from "palimpsest/core";
import { readTranscript, readTranscriptFolder, writeClaudeCode, writeOpenAi } from "palimpsest/transcripts";

// A session as Claude Code saves it, in a folder of its own. Yours are in ~/.claude/projects.
const folder = await mkdtemp(join(tmpdir(), "harbour-"));
const path = join(folder, "session.jsonl");
await writeFile(path, claudeCodeSession());

// The content shows the format. Parts that cannot be read are listed, and the rest is read.
const transcript = await readTranscript(path);
const { format, modelId, messages, problems } = transcript;
console.log(`${format}, ${modelId}: ${messages.length} messages, ${problems.length} problems`);

// Read all session files of a folder, of any known agent.
const { transcripts, refused } = await readTranscriptFolder(folder);
console.log(`${transcripts.map(({ name }) => name)} read, ${refused.length} other files`);

// Fold the log, then search what the view does not show.
const folded = foldToFit(messages, { allowedTokens: 1_500 });
const index = createRecallIndex(folded.messages);
const hits = index.recall("Which relay clicks twice?", { budgetTokens: 300, maxHits: 1 });
console.log(renderRecall(hits));

// The whole of the message that an excerpt is from, as it was before any fold.
for (const { messageId } of hits) {
  const characters = index.expand(messageId).map(({ content }) => JSON.stringify(content).length);
  console.log(`message ${messageId}: ${characters} characters`);
}

// Write the session: everything, or only the visible messages, to go on elsewhere.
await writeFile(join(folder, "copy.jsonl"), writeClaudeCode(transcript).join("\n"));
const copy = await readTranscript(join(folder, "copy.jsonl"));
console.log(`the copy has ${copy.messages.length} messages`);
const visible = { ...transcript, messages: getEffectiveApiHistory(folded.messages), usages: [], compactions: [] };
console.log(`OpenAI would get ${writeOpenAi(visible).length} messages`);

// `node session-file.mts session.jsonl` keeps the session, to try the commands of the guide on it.
const [keepAt] = process.argv.slice(2);
if (keepAt !== undefined) await copyFile(path, keepAt);
await rm(folder, { recursive: true });

/** Twelve logs are read; after the fifth, the agent names a relay. */
function claudeCodeSession(): string {
  const lines: string[] = [];
  const add = (role: "user" | "assistant", content: unknown) => {
    const [uuid, parentUuid] = [`u${lines.length}`, lines.length === 0 ? null : `u${lines.length - 1}`];
    const message =
      role === "user" ? { role, content } : { role, content, id: `m${lines.length}`, model: "claude-sonnet-4-5" };
    lines.push(JSON.stringify({ type: role, uuid, parentUuid, sessionId: "s1", message }));
  };
  add("user", "Find out why the harbour light blinks twice.");
  for (let lamp = 1; lamp <= 12; lamp++) {
    const id = `toolu_${lamp}`;
    add("assistant", [{ type: "tool_use", id, name: "Read", input: { file_path: `lamp-${lamp}.log` } }]);
    const content = `lamp ${lamp}: on, off, on, off\n`.repeat(40);
    add("user", [{ type: "tool_result", tool_use_id: id, content }]);
    if (lamp === 5) add("assistant", [{ type: "text", text: "Relay K7 clicks twice at each turn.\nI read on." }]);
    if (lamp === 5) add("user", "Please do. K7 is from 1987.");
  }
  add("assistant", [{ type: "text", text: "All twelve logs are read." }]);
  return lines.join("\n");
}
