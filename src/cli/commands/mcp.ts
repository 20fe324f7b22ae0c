import { once } from "node:events";
import { packageVersion } from "../../gateway/package-version.ts";
import { createMcpServer } from "../../integrations/mcp/create-mcp-server.ts";
import type { McpSessions, SessionChoice } from "../../integrations/mcp/mcp-sessions.ts";
import { findSessionId, type OpenSessions, withSessions } from "../sessions/open-sessions.ts";
import { STORE_OPTION } from "../sessions/store-location.ts";
import { describeFailure } from "../terminal/command-error.ts";
import { type Command, readArguments } from "../terminal/command-line.ts";
import type { Output } from "../terminal/output.ts";

const COMMAND: Command = {
  name: "mcp",
  about: `Serves stored sessions to an agent by the Model Context Protocol, on standard input and output. Its
tools search and read hidden messages, say how full the window is, condense and pin. The server ends
when its input ends.

Agents start it by themselves: add "palimpsest mcp" to their MCP servers. A gateway serves the same at
/palimpsest/mcp.`,
  positionals: [],
  options: {
    session: { value: "ID", about: "serve only this session (default: each call names one)" },
    store: STORE_OPTION,
  },
};

/** `palimpsest mcp [--session ID]`; resolves with the exit code when its input has ended. */
export async function mcp(
  commandArguments: readonly string[],
  output: Output = process.stdout,
  notes: Output = process.stderr,
): Promise<number> {
  const given = readArguments(COMMAND, commandArguments, output);
  if (given === undefined) return 0;
  const { session } = given.values;
  return withSessions(COMMAND, given, {
    // The log goes to stderr, as stdout carries the protocol.
    engineOptions: { log: (line) => notes.write(`palimpsest: ${line}\n`) },
    use: async (open) => {
      const choice: SessionChoice =
        session === undefined ? { type: "named" } : { type: "fixed", id: await findSessionId(open.store, session) };
      await serve(storedSessions(open, choice, notes), notes);
      return 0;
    },
  });
}

function storedSessions({ engine, store }: OpenSessions, choice: SessionChoice, notes: Output): McpSessions {
  return {
    open: async (id) => ((await store.find(id)) === undefined ? undefined : engine.session(id)),
    list: (limit) => engine.sessions({ limit }),
    search: (query, budgetTokens) => engine.recall(query, { budgetTokens }),
    choice,
    failed: (error) => notes.write(`palimpsest: a call failed: ${describeFailure(error)}\n`),
  };
}

async function serve(sessions: McpSessions, notes: Output): Promise<void> {
  const { serveStdio } = await import("@modelcontextprotocol/server/stdio");
  const ended = once(process.stdin, "end");
  const connection = serveStdio(() => createMcpServer({ sessions, version: packageVersion() }), {
    onerror: (error) => notes.write(`palimpsest: ${error.message}\n`),
  });
  await ended;
  await connection.close();
}
