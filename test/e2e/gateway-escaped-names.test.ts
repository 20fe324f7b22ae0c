/** Inputs of tools with names that JSON writes with an escape: the platform's parser may take one for another. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listSessions, readLog } from "../support/gateway-sessions.ts";
import { startServer } from "../support/gateway-world.ts";
import { startPalimpsest } from "../support/palimpsest-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A history of so many tool calls, as Claude Code sends it. `names` are those of the inputs, in turns. */
function requestOf(task: string, steps: number, names: readonly string[]): string {
  const messages: unknown[] = [{ role: "user", content: task }];
  for (let step = 0; step < steps; step++) {
    const input = { pattern: `${step}`, [names[step % names.length] ?? ""]: "x" };
    messages.push(
      { role: "assistant", content: [{ type: "tool_use", id: `toolu_${step}`, name: "grep", input }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${step}`, content: `nothing in ${step}` }] },
    );
  }
  const tools = [{ name: "grep", input_schema: { type: "object" } }];
  return JSON.stringify({ model: "claude-haiku-4-5", max_tokens: 100, tools, messages });
}

async function startUp(upstream: string, store: string) {
  const gateway = startPalimpsest(["up", "--json", "--upstream", upstream, "--store", store, "--port", "0"]);
  const end = async () => {
    gateway.kill("SIGKILL");
    await gateway.ended;
  };
  onTestFinished(end);
  const { url }: { readonly url: string } = JSON.parse(await gateway.shows(/^\{.*\}\n/));
  return { url, end };
}

async function send(url: string, body: string): Promise<void> {
  const headers = { "content-type": "application/json", "x-api-key": "key", "anthropic-version": "2023-06-01" };
  const reply = await fetch(`${url}/v1/messages`, { method: "POST", headers, body });
  expect([reply.status, await reply.text()]).toMatchObject([200, expect.any(String)]);
}

test("a session with such names is recognised after a restart, and its log says what was sent", async () => {
  const store = join(temporaryFolder(), "sessions.db");
  const server = await startServer({ reply: () => ({ type: "text", text: "Go on." }) });
  const ours = ["\n", '"'];
  const first = await startUp(server.url, store);
  await send(first.url, requestOf("Look for it.", 4, ours));
  await first.end();

  // In the process that goes on, the platform has seen another name behind "pattern".
  const second = await startUp(server.url, store);
  await send(second.url, requestOf("Another task.", 1, ["\\"]));
  await send(second.url, requestOf("Look for it.", 6, ours));
  expect(server.requests.at(-1)?.rawBody).toBe(requestOf("Look for it.", 6, ours));
  const sessions = await listSessions(second.url);
  expect(sessions).toHaveLength(2);
  const logs = await Promise.all(sessions.map((id) => readLog(second.url, id)));
  const log = logs.find(([task]) => task === '"Look for it."') ?? [];
  expect(log).toHaveLength(13);
  expect(log.filter((content) => content.includes('"\\n":"x"'))).toHaveLength(3);
  expect(log.filter((content) => content.includes('"\\"":"x"'))).toHaveLength(3);
});
