/** `palimpsest mcp` over its real standard input and output, with the official client, on a real SQLite file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { restoreAllMessages } from "../../src/core/history/restore.ts";
import { createEngine } from "../../src/index.ts";
import { sqliteStore } from "../../src/stores/sqlite/index.ts";
import { HIDDEN_FACT, QUERY, sessionWithHiddenFact, talkWithFact } from "../support/hidden-fact.ts";
import { PALIMPSEST_MAIN } from "../support/palimpsest-process.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-mcp-"));
const path = join(folder, "sessions.db");
let foldId = "";
let client: Client;

beforeAll(async () => {
  const store = sqliteStore({ path });
  const session = await sessionWithHiddenFact("pumps", { store });
  session.observe({ inputTokens: 3_500, outputTokens: 5 });
  expect((await session.events()).some(({ type }) => type === "request")).toBe(true);
  foldId = (await session.folds())[0]?.foldId ?? "";
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** One process for the tests of a group. */
async function connect(mode: "legacy" | { readonly pin: string }, ...given: readonly string[]): Promise<void> {
  client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  const args = [PALIMPSEST_MAIN, "mcp", "--store", path, ...given];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "inherit" }));
}

async function callText(name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

describe("with --session, to a client of 2026", () => {
  beforeAll(() => connect({ pin: "2026-07-28" }, "--session", "pumps"));
  afterAll(() => client.close());

  test("the model gets back what a fold hides, by words, by fold and by message", async () => {
    expect(client.getInstructions()).toContain("recall");
    expect(await callText("recall", { query: QUERY })).toContain(`seal number ${HIDDEN_FACT}`);
    expect(await callText("recall", { id: foldId })).toContain("<recalled_excerpt");
    expect(await callText("expand", { id: "m2" })).toContain(`seal number ${HIDDEN_FACT}`);
    expect(await callText("expand", { id: "nowhere" })).toContain(foldId);
  });

  test("no tool asks for a session, and each says whether it changes something", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ["recall", true],
      ["expand", true],
      ["context_usage", true],
      ["condense", false],
      ["pin", false],
    ]);
    expect(JSON.stringify(tools)).not.toContain('"session":');
    // It would find what was said in others.
    await expect(client.callTool({ name: "search_sessions", arguments: { query: QUERY } })).rejects.toThrow(
      "There is no tool search_sessions; there are recall, expand, context_usage, condense, pin.",
    );
  });

  test("the window's use, the folds and messages can be read", async () => {
    expect(await callText("context_usage")).toMatch(/The last prompt took [\d,]+ tokens of 8,000 tokens, \d+ %/);
    const { resources } = await client.listResources();
    const fold = resources.find(({ name }) => name === foldId);
    const { contents } = await client.readResource({ uri: fold?.uri ?? "" });
    expect(JSON.stringify(contents)).toContain("<recalled_excerpt");
    const message = await client.readResource({ uri: "palimpsest://sessions/pumps/messages/m2" });
    expect(JSON.stringify(message.contents)).toContain(HIDDEN_FACT);
    await expect(client.readResource({ uri: "palimpsest://sessions/other" })).rejects.toThrow();
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(3);
  });

  test("pin and condense change the session for everyone, and nothing is lost", async () => {
    expect(await callText("pin", { message: "m100" })).toBe("m100 is pinned: it stays visible.");
    expect(await callText("condense")).toMatch(/^Condensed into fold condense-/);
    expect(await callText("pin", { message: "nowhere" })).toContain("nowhere");
    const store = sqliteStore({ path });
    const session = await createEngine({ model: "claude-sonnet-4-5", store }).session("pumps");
    const log = await session.log();
    expect(log.find(({ id }) => id === "m100")?.important).toBe(true);
    const said = restoreAllMessages(log).map(({ important: _, ...message }) => message);
    expect(said).toEqual(talkWithFact());
    await store.close();
  });
});

describe("without --session, to a client of 2025", () => {
  beforeAll(() => connect("legacy"));
  afterAll(() => client.close());

  test("a call names the session; one that does not is told which there are", async () => {
    expect(await callText("recall", { session: "pumps", query: QUERY })).toContain(HIDDEN_FACT);
    expect(await callText("recall", { query: QUERY })).toContain('The newest are "pumps"');
    expect(await callText("recall", { session: "hall", query: QUERY })).toContain('There is no session "hall".');
    expect(await callText("search_sessions", { query: QUERY })).toContain('session="pumps"');
    expect((await client.listResources()).resources.map(({ name }) => name)).toEqual(["pumps"]);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "recall")?.inputSchema.required).toEqual(["session"]);
    expect(await callText("expand", { session: "pumps", query: QUERY })).toBe(
      'Pass { "id": "the id of a fold or a message" }. To search for words, call recall.',
    );
  });

  test("what another process writes meanwhile is seen by the next call", async () => {
    const store = sqliteStore({ path });
    const session = await createEngine({ model: "claude-sonnet-4-5", store }).session("pumps");
    await session.append({ id: "late", role: "assistant", content: "The spare seal is LM-7." });
    await store.close();
    expect(await callText("expand", { session: "pumps", id: "late" })).toContain("The spare seal is LM-7.");
  });

  test("a tool that does not exist is refused with those that do", async () => {
    await expect(client.callTool({ name: "forget" })).rejects.toThrow(/recall, expand/);
  });
});
