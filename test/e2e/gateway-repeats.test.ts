/** A request that is sent again after a restart: the same bytes go upstream, also where the provider reports less than it was sent. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import type { ModelRequest, ScriptedReply } from "../../src/testing/index.ts";
import { sized } from "../chaos/chaos-size.ts";
import { invalidRequests, toolOutput } from "../support/gateway-script.ts";
import { startGatewayBefore, startServer } from "../support/gateway-world.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** What decides when to fold, and how large the window is that it decides for. */
const POLICIES = {
  "by a percentage": { windows: { all: 20_000 }, configuration: { thresholds: { adaptive: false } } },
  "by prices": { windows: { all: 200_000 }, configuration: { thresholds: { economy: 4_000 } } },
} as const;
const STEPS = 45;
const SYSTEM = "You are a careful agent that reads files before it answers. ".repeat(60);

const TOOLS = [{ name: "read_file", description: "Reads a file of the project.", input_schema: { type: "object" } }];

/** A history of so many steps, as agents send it. Small steps between large ones meet every threshold from near by. */
function requestOf(steps: number): string {
  const messages: unknown[] = [{ role: "user", content: "Read all files." }];
  for (let step = 0; step < steps; step++) {
    const id = `toolu_${step}`;
    const output = toolOutput("repeat", step).slice(0, step % 3 === 0 ? undefined : 300 + 97 * (step % 11));
    messages.push(
      { role: "assistant", content: [{ type: "tool_use", id, name: "read_file", input: { path: `src/${step}.ts` } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: output }] },
    );
  }
  return JSON.stringify({ model: "claude-haiku-4-5", max_tokens: 500, system: SYSTEM, tools: TOOLS, messages });
}

async function send(url: string, body: string): Promise<void> {
  const headers = {
    "content-type": "application/json",
    "x-api-key": "key",
    "anthropic-version": "2023-06-01",
    "x-palimpsest-session": "repeated",
  };
  const reply = await fetch(`${url}/v1/messages`, { method: "POST", headers, body });
  const text = await reply.text();
  expect(reply.status, text).toBe(200);
}

/** Of each request, where the share of the truth that is reported varies from step to step. */
const REPORTS: Readonly<Record<string, (step: number) => number>> = {
  "60 %": () => 0.6,
  "all of it": () => 1,
  "more and more": (step) => 0.6 + step / 50,
  "now this, now that": (step) => [1, 0.6, 1.4, 0.55, 0.9][step % 5] ?? 1,
};

const TRIED = sized({ full: Object.keys(REPORTS), short: ["now this, now that"] });

const CASES = Object.entries(POLICIES).flatMap(([policy, settings]) =>
  Object.entries(REPORTS)
    .filter(([reports]) => TRIED.includes(reports))
    .map(([reports, shareOf]) => [policy, reports, { settings, shareOf }] as const),
);

test.each(CASES)("folded %s, reports of %s", async (_policy, _reports, { settings, shareOf }) => {
  const path = join(temporaryFolder(), "sessions.db");
  let step = 0;
  const reply = ({ promptTokens }: ModelRequest): ScriptedReply => {
    const inputTokens = Math.round(promptTokens * shareOf(step));
    return { type: "text", text: "Go on.", usage: { inputTokens } };
  };
  const server = await startServer({ reply });
  const start = async () => {
    const store = sqliteStore({ path });
    const { gateway } = await startGatewayBefore(server, { store, ...settings });
    const end = async () => {
      await gateway.close();
      await store.close();
    };
    return { url: gateway.url, end };
  };

  const different: number[] = [];
  let folded = 0;
  let gateway = await start();
  for (step = 1; step <= STEPS; step++) {
    await send(gateway.url, requestOf(step));
    const before = server.requests.at(-1)?.rawBody ?? "";
    await gateway.end();
    gateway = await start();
    await send(gateway.url, requestOf(step));
    if (server.requests.at(-1)?.rawBody !== before) different.push(step);
    if (before !== requestOf(step)) folded++;
    // Every other step, the one that goes on has been there for longer than one request.
    if (step % 2 === 0) await send(gateway.url, requestOf(++step));
  }
  expect(invalidRequests(server)).toEqual([]);
  expect(different).toEqual([]);
  expect(folded).toBeGreaterThan(3);
});
