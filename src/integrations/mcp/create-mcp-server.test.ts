/** The server by itself, over the official client and a pair of transports in memory. */
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { describe, expect, onTestFinished, test } from "vitest";
import { HIDDEN_FACT, QUERY, sessionWithHiddenFact } from "../../../test/support/hidden-fact.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import type { McpSessions } from "./mcp-sessions.ts";

/** Sessions of which there are none, but for what a test says. */
const NONE: McpSessions = {
  open: async () => undefined,
  list: async () => [],
  search: async () => [],
  choice: { type: "named" },
};

async function connect(sessions: Partial<McpSessions>): Promise<Client> {
  const [own, others] = InMemoryTransport.createLinkedPair();
  const server = await createMcpServer({ sessions: { ...NONE, ...sessions }, version: "1.2.3" });
  await server.connect(others);
  const client = new Client({ name: "test", version: "1.0.0" });
  onTestFinished(() => client.close());
  await client.connect(own);
  return client;
}

const call = async (client: Client, name: string, args: Record<string, unknown> = {}) => {
  const { content, isError } = await client.callTool({ name, arguments: args });
  return { text: content.map((part) => (part.type === "text" ? part.text : "")).join("\n"), isError };
};

test("says what it is, by the version of the package", async () => {
  const client = await connect({});
  expect(client.getServerVersion()).toMatchObject({ name: "palimpsest", version: "1.2.3" });
});

describe("what goes wrong", () => {
  test("with a store is told to the model; what is broken is told to us alone", async () => {
    const failures: unknown[] = [];
    const failed = (error: unknown) => failures.push(error);
    const busy = new PalimpsestError("store-failed", "The database is locked. Try again.");
    const refused = await connect({ open: () => Promise.reject(busy), failed });
    expect(await call(refused, "recall", { session: "s", query: "x" })).toEqual({ text: busy.message, isError: true });
    expect(failures).toEqual([]);
    const bug = new TypeError("secret of line 7 is undefined");
    const broken = await connect({ open: () => Promise.reject(bug), failed });
    const { text, isError } = await call(broken, "recall", { session: "s", query: "x" });
    expect({ isError, isSecret: text.includes("secret") }).toEqual({ isError: true, isSecret: false });
    expect(failures).toEqual([bug]);
  });

  test.each([
    ["search_sessions", {}, /Pass \{ "query"/],
    ["recall", { query: "x" }, /Which session\? .* There is none yet\./],
    ["recall", { session: "s", query: "x" }, /There is no session "s"/],
    ["condense", { session: 5 }, /Which session\?/],
  ])("with the arguments of %s (%j) is answered with what to pass", async (name, args, said) => {
    expect(await call(await connect({}), name, args)).toEqual({ text: expect.stringMatching(said), isError: true });
  });

  test("with an address of a resource is an error of the protocol", async () => {
    const client = await connect({});
    for (const uri of ["palimpsest://sessions/none", "palimpsest://sessions/%E0%A4%A", "file:///etc/passwd"]) {
      await expect(client.readResource({ uri })).rejects.toThrow(/not found/i);
    }
  });
});

describe("a server with a fixed session", () => {
  test("answers about that one, whatever a call names", async () => {
    const session = await sessionWithHiddenFact();
    const open = async (id: string) => (id === session.id ? session : undefined);
    const client = await connect({ open, choice: { type: "fixed", id: session.id } });
    expect((await call(client, "recall", { session: "other", query: QUERY })).text).toContain(HIDDEN_FACT);
    const { text, isError } = await call(client, "recall", {});
    expect({ text, isError }).toEqual({ text: expect.stringContaining("Neither query nor id"), isError: false });
    expect((await call(client, "pin", { message: "" })).text).toContain('Pass { "message"');
  });
});
