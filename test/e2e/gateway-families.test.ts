/** Who started whom is kept with the sessions: after a restart, and in every gateway on one store, sub-agents are of the same family. */
import Anthropic from "@anthropic-ai/sdk";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { toAnthropic } from "../../src/messages/index.ts";
import { startGatewayBefore, startServer } from "../support/gateway-world.ts";
import { HIDDEN_FACT, QUERY, replyFromPrompt, talkWithFact } from "../support/hidden-fact.ts";
import { describeDurableStores } from "../support/stores.ts";

const WINDOW = 8_000;
const OPTIONS = { windows: { all: WINDOW }, configuration: { strategies: { primary: "truncation" } } } as const;

interface Agent {
  readonly session: string;
  /** @default the main agent of the session */
  readonly subAgent?: string;
}

async function say(url: string, { session, subAgent }: Agent, messages: readonly Anthropic.MessageParam[]) {
  const anthropic = new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 });
  const headers = { "x-claude-code-session-id": session, ...(subAgent && { "x-claude-code-agent-id": subAgent }) };
  const tools = [{ name: "recall", input_schema: { type: "object" as const } }];
  const body = { model: "claude-haiku-4-5", max_tokens: 50, tools, messages: [...messages] };
  await anthropic.messages.create(body, { headers });
}

const talk = () => [...toAnthropic(talkWithFact()).messages];
const hello = (who: string): readonly Anthropic.MessageParam[] => [{ role: "user", content: `${who} begins.` }];

async function recall(url: string): Promise<string> {
  const client = new Client({ name: "test", version: "1.0.0" });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/palimpsest/mcp`)));
  const { content } = await client.callTool({ name: "recall", arguments: { query: QUERY } });
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

async function treeOf(url: string): Promise<unknown> {
  const tree = (await (await fetch(`${url}/palimpsest/api/session-tree`)).json()) as {
    readonly sessions: readonly { readonly id: string; readonly parentId?: string; readonly relation?: string }[];
  };
  return tree.sessions.map(({ id, parentId, relation }) => [id, parentId, relation]).toSorted();
}

await describeDurableStores("families of sessions", (makePlace) => {
  test("are known after a restart, and to another gateway, before the sub-agent speaks again", async () => {
    const place = makePlace();
    const server = await startServer({ contextWindow: WINDOW, reply: replyFromPrompt });
    const first = await startGatewayBefore(server, { ...OPTIONS, store: place.open() });
    await say(first.gateway.url, { session: "parent", subAgent: "one" }, talk());
    const tree = await treeOf(first.gateway.url);
    await first.gateway.close();
    const other = await startGatewayBefore(server, { ...OPTIONS, store: place.open() });
    expect(await treeOf(other.gateway.url)).toEqual(tree);
    await say(other.gateway.url, { session: "parent" }, hello("The main agent"));
    expect(await recall(other.gateway.url)).toContain(HIDDEN_FACT);
    await say(other.gateway.url, { session: "parent", subAgent: "two" }, hello("Another sub-agent"));
    expect(await recall(other.gateway.url)).toContain(HIDDEN_FACT);
    expect(await treeOf(other.gateway.url)).toEqual([
      ["claude-code:parent", undefined, undefined],
      ["claude-code:parent/one", "claude-code:parent", "sub-agent"],
      ["claude-code:parent/two", "claude-code:parent", "sub-agent"],
    ]);
    await say(other.gateway.url, { session: "stranger", subAgent: "one" }, hello("A stranger"));
    expect(await recall(other.gateway.url)).not.toContain(HIDDEN_FACT);
    expect([...first.incidents, ...other.incidents]).toEqual([]);
  });

  test("are the same in two gateways that run at once", async () => {
    const place = makePlace();
    const server = await startServer({ contextWindow: WINDOW, reply: replyFromPrompt });
    const one = await startGatewayBefore(server, { ...OPTIONS, store: place.open() });
    const other = await startGatewayBefore(server, { ...OPTIONS, store: place.open() });
    await say(one.gateway.url, { session: "parent", subAgent: "one" }, talk());
    const tree = await treeOf(one.gateway.url);
    expect(await treeOf(other.gateway.url)).toEqual(tree);
    await say(other.gateway.url, { session: "parent", subAgent: "two" }, hello("Another sub-agent"));
    expect(await recall(other.gateway.url)).toContain(HIDDEN_FACT);
    expect(await treeOf(one.gateway.url)).toEqual(await treeOf(other.gateway.url));
    expect([...one.incidents, ...other.incidents]).toEqual([]);
  });
});
