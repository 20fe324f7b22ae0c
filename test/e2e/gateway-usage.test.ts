/** An upstream that claims what it likes about the prompts that it was sent: conversations are folded in time all the same. */
import { afterEach, expect, test } from "vitest";
import type { ModelRequest, ModelServer, ScriptedReply } from "../../src/testing/index.ts";
import { tooLongRequests, toolOutput } from "../support/gateway-script.ts";
import { startGatewayBefore, startServer } from "../support/gateway-world.ts";
import { closeAll, startUpstream } from "../support/loopback.ts";

const WINDOW = 20_000;
const STEPS = 30;

function requestOf(steps: number): string {
  const messages: unknown[] = [{ role: "user", content: "Read all files." }];
  for (let step = 0; step < steps; step++) {
    const id = `toolu_${step}`;
    messages.push(
      { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { path: `src/${step}.ts` } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: toolOutput("usage", step) }] },
    );
  }
  const tools = [{ name: "read", input_schema: { type: "object" } }];
  return JSON.stringify({ model: "claude-haiku-4-5", max_tokens: 500, tools, messages });
}

/** What a reply has as its `input_tokens`, and whether that is a number that could be believed. */
const CLAIMS: Readonly<
  Record<string, { readonly claim: (promptTokens: number) => string; readonly isCount: boolean }>
> = {
  "10 tokens": { claim: () => "10", isCount: true },
  "no tokens": { claim: () => "0", isCount: false },
  "less than none": { claim: () => "-4000", isCount: false },
  "NaN tokens": { claim: () => '"NaN"', isCount: false },
  "a third of them": { claim: (promptTokens) => String(Math.round(promptTokens / 3)), isCount: true },
  "1e15 tokens": { claim: () => "1e15", isCount: true },
};

/** The model server behind a proxy that rewrites what is reported: the server itself reports nothing that makes no sense. */
async function startClaiming(server: ModelServer, claim: (promptTokens: number) => string) {
  return startUpstream(async (response, { target, headers, body }) => {
    const { "content-type": type = "", "x-api-key": key = "", "anthropic-version": version = "" } = headers;
    const passed = { "content-type": type, "x-api-key": String(key), "anthropic-version": String(version) };
    const answer = await fetch(server.url + target, { method: "POST", headers: passed, body });
    const text = (await answer.text()).replace(
      /"input_tokens":(\d+)/,
      (_, tokens) => `"input_tokens":${claim(Number(tokens))}`,
    );
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" }).end(text);
  });
}

afterEach(closeAll);

test.each(Object.entries(CLAIMS))("a claim of %s at every reply", async (_, { claim, isCount }) => {
  const sizes: number[] = [];
  const reply = ({ promptTokens }: ModelRequest): ScriptedReply => {
    sizes.push(promptTokens);
    return { type: "text", text: "Go on." };
  };
  const server = await startServer({ reply, contextWindow: WINDOW });
  const claiming = await startClaiming(server, claim);
  const { gateway, incidents, turns } = await startGatewayBefore(claiming, { windows: { all: WINDOW } });
  for (let step = 1; step <= STEPS; step++) {
    const headers = { "content-type": "application/json", "x-api-key": "key", "anthropic-version": "2023-06-01" };
    const answer = await fetch(`${gateway.url}/v1/messages`, { method: "POST", headers, body: requestOf(step) });
    expect(answer.status, await answer.text()).toBe(200);
  }
  // Folded before the upstream had to refuse, and not to nothing.
  expect(tooLongRequests(server)).toEqual([]);
  expect(sizes).toHaveLength(STEPS);
  expect(Math.max(...sizes)).toBeGreaterThan(0.5 * WINDOW);
  expect(Math.max(...sizes)).toBeLessThan(WINDOW);
  expect(Math.min(...sizes.slice(10))).toBeGreaterThan(2_000);
  expect(turns.flatMap(({ foldIds }) => foldIds).length).toBeGreaterThan(0);
  expect(incidents).toEqual(isCount ? ["usage: implausible-usage"] : []);
});
