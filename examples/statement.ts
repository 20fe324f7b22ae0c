// What a long session cost, and what the same requests would have cost otherwise.
// Usage: node examples/statement.ts [session.db]   keeps the session, for `palimpsest statement task-42 --store session.db`
import { countMessagesTokens, createEngine, type Message, type ReportedUsage } from "palimpsest";
import { memoryStore } from "palimpsest/stores/memory";
import { sqliteStore } from "palimpsest/stores/sqlite";

const MINUTE = 60_000;
const SYSTEM_TOKENS = 4_000;
const [path] = process.argv.slice(2);

let now = 0;
const store = path === undefined ? memoryStore() : sqliteStore({ path });
const engine = createEngine({ model: "claude-sonnet-4-5", store, now: () => now });
const session = await engine.session("task-42", { systemPrompt: "rule ".repeat(SYSTEM_TOKENS) });

// A provider that caches the prefix that a prompt shares with the one before, for five minutes.
let cached: { at: number; messages: readonly string[] } = { at: Number.NEGATIVE_INFINITY, messages: [] };
function ask(messages: readonly Message[], reply: Message): ReportedUsage {
  const texts = messages.map((message) => JSON.stringify(message));
  const isWarm = now - cached.at <= 5 * MINUTE;
  const different = texts.findIndex((text, index) => text !== cached.messages[index]);
  const shared = different < 0 ? texts.length : different;
  cached = { at: now, messages: texts };
  const cacheReadTokens = isWarm ? SYSTEM_TOKENS + countMessagesTokens(messages.slice(0, shared)) : 0;
  const cacheWriteTokens = SYSTEM_TOKENS + countMessagesTokens(messages) - cacheReadTokens;
  return { inputTokens: 0, cacheReadTokens, cacheWriteTokens, outputTokens: countMessagesTokens([reply]) };
}

await session.append({ role: "user", content: "Find out why the tide table of Skagen is wrong." });
for (let turn = 0; turn < 150; turn++) {
  now += turn % 50 === 49 ? 30 * MINUTE : MINUTE;
  const id = `call_${turn}`;
  const input = { path: `src/station-${turn}.ts` };
  const reply: Message = { role: "assistant", content: [{ type: "tool_use", id, name: "read_file", input }] };
  const { messages } = await session.prepare();
  session.observe(ask(messages, reply));
  const content = `export const level${turn} = ${4_000 + turn}; // metres above chart datum\n`.repeat(80);
  await session.append(reply, { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] });
}

const statement = await session.statement();
const { spentUsd, withoutFoldsUsd, withSummaryAt80Usd, optimumUsd, savedUsd, folds } = statement;
const usd = (amount: number) => `$${amount.toFixed(2)}`;
console.log(`${statement.requests} requests cost ${usd(spentUsd)}`);
console.log(`without folds ${usd(withoutFoldsUsd)}: ${usd(savedUsd.againstNothing)} saved`);
console.log(`with a summary at 80 % ${usd(withSummaryAt80Usd)}: ${usd(savedUsd.againstSummaryAt80)} saved`);
console.log(`at best ${usd(optimumUsd)}`);
for (const { cause, requests, costUsd, earnedUsd } of folds) {
  console.log(`folded ${requests} times (${cause}): cost ${usd(costUsd)}, earned ${usd(earnedUsd)}`);
}
await store.close();
