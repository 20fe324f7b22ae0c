/** A question that only a fold answers, through each door to what is hidden, on each API, whole and streamed: no file is read again. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, describe, expect, test } from "vitest";
import { createEngine, type RecallTool, recallTool } from "../../src/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import { sized } from "../chaos/chaos-size.ts";
import { READ_FILE, type SdkClient, type SdkKind } from "../support/gateway-client.ts";
import { invalidRequests } from "../support/gateway-script.ts";
import { listSessions, SDK_KINDS } from "../support/gateway-sessions.ts";
import { type GatewayWorld, startWorld } from "../support/gateway-world.ts";
import { HIDDEN_FACT, QUERY, QUESTION } from "../support/hidden-fact.ts";
import { PALIMPSEST_MAIN } from "../support/palimpsest-process.ts";
import { answerFromPrompt, RECALL_WINDOW, RECALLING, recallCall, talkUntilHidden } from "../support/recall-talk.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-doors-"));
const path = join(folder, "sessions.db");
const mcp = () =>
  new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });

/** One process serves the conversations of all tests: each call names its session. */
const stdio = mcp();
const store = sqliteStore({ path });
const definition = recallTool(await createEngine({ model: "claude-haiku-4-5", store }).session("for its definition"));
await store.list({});
await stdio.connect(
  new StdioClientTransport({
    command: process.execPath,
    args: [PALIMPSEST_MAIN, "mcp", "--store", path],
    stderr: "inherit",
  }),
);
afterAll(async () => {
  await stdio.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

async function callRecall(client: Client, session?: string): Promise<string> {
  const { content } = await client.callTool({
    name: "recall",
    arguments: { query: QUERY, ...(session && { session }) },
  });
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

type Answer = (world: GatewayWorld, sessionId: string) => Promise<string>;

/** What an agent does with a call of its recall tool; undefined where the gateway answers it. */
const DOORS: Readonly<Record<string, Answer | undefined>> = {
  "recallTool(session)": async ({ gateway }, id) =>
    recallTool(await gateway.engine.session(id)).execute({ query: QUERY }),
  "palimpsest mcp": (_, id) => callRecall(stdio, id),
  "/palimpsest/mcp": async ({ gateway }) => {
    const http = mcp();
    await http.connect(new StreamableHTTPClientTransport(new URL(`${gateway.url}/palimpsest/mcp`)));
    return callRecall(http).finally(() => http.close());
  },
  "--recall-tool": undefined,
};

/** In the short version each door and API has one of both, in turn. */
const WAYS = Object.entries(DOORS).flatMap(([door, answer], doorIndex) =>
  SDK_KINDS.flatMap((kind, kindIndex) => {
    const inTurn = (doorIndex + kindIndex) % 2 === 1;
    const tried = sized({ full: [false, true], short: [inTurn] });
    return tried.map((isStreaming) => ({ door, answer, kind, name: kind.name, isStreaming }));
  }),
);

/** The definitions of an agent's own tools, in the form of its API. */
function toolsOf({ api }: SdkKind, recall: RecallTool): Readonly<Record<string, unknown>> {
  const { name, description, parameters } = READ_FILE;
  switch (api) {
    case "anthropic":
      return { tools: [{ name, description, input_schema: parameters }, recall.as("anthropic")] };
    case "openai-chat":
      return { tools: [{ type: "function", function: READ_FILE }, recall.as("openai-chat")] };
    case "openai-responses":
      return { tools: [{ type: "function", ...READ_FILE, strict: false }, recall.as("openai-responses")] };
    case "gemini":
      return { tools: [{ functionDeclarations: [READ_FILE, recall.as("gemini")] }] };
  }
}

describe.each(WAYS)("$door, $name, streamed: $isStreaming", ({ answer, kind, isStreaming }) => {
  test("the question is answered, and the file is not read again", async () => {
    const world = await startWorld({
      server: { contextWindow: RECALL_WINDOW, reply: answerFromPrompt },
      gateway: { ...RECALLING, recallTool: answer === undefined, store },
    });
    const sessionId = `${kind.name} ${crypto.randomUUID()}`;
    const client: SdkClient = kind.open({
      url: world.url,
      headers: { "x-palimpsest-session": sessionId },
      ...(answer === undefined ? {} : { fields: toolsOf(kind, definition) }),
    });
    await talkUntilHidden(client, world.server);
    client.say(QUESTION);
    world.server.script({ type: "tool-calls", calls: [recallCall()] });
    let reply = await client.ask(isStreaming);
    if (answer !== undefined) {
      expect(reply.callCount).toBe(1);
      client.giveOutputs([await answer(world, sessionId)]);
      reply = await client.ask(isStreaming);
    }
    expect(reply.text).toBe(`It is ${HIDDEN_FACT}.`);
    expect(await listSessions(world.gateway.url)).toContain(sessionId);
    expect(reply.callCount).toBe(0);
    expect([world.incidents, invalidRequests(world.server)]).toEqual([[], []]);
  });
});
