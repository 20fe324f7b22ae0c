import type { CallToolResult, Server, Tool } from "@modelcontextprotocol/server";
import { PalimpsestError } from "../../core/errors.ts";
import { asRecord } from "../../core/json/read-json.ts";
import { type McpSessions, sessionProperty } from "./mcp-sessions.ts";
import { listResources, RESOURCE_TEMPLATES, readResource } from "./resources.ts";
import { MCP_TOOLS, type McpTool } from "./tools.ts";

export interface McpServerOptions {
  readonly sessions: McpSessions;
  /** The version of this package, which clients are told. */
  readonly version: string;
}

const INSTRUCTIONS =
  "Older parts of a conversation may be hidden behind summaries and notes that name a fold. Call recall to read them back, before you read a file or " +
  "run a command again only to see what you have seen already.";

/** Creates a server for one connection, or for one request if the transport is stateless. Loads the protocol's package when it is first called. */
export async function createMcpServer({ sessions, version }: McpServerOptions): Promise<Server> {
  const {
    ProtocolError,
    ProtocolErrorCode,
    ResourceNotFoundError,
    Server: OfficialServer,
  } = await import("@modelcontextprotocol/server");
  const server = new OfficialServer(
    { name: "palimpsest", version },
    { capabilities: { tools: {}, resources: {} }, instructions: INSTRUCTIONS },
  );
  const tools = MCP_TOOLS.filter(({ isOfSession }) => isOfSession || sessions.choice.type !== "fixed");
  server.setRequestHandler("tools/list", () => ({ tools: tools.map((tool) => describeTool(tool, sessions)) }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (tool === undefined) {
      const names = tools.map(({ name }) => name).join(", ");
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}; there are ${names}.`);
    }
    return callTool(tool, { sessions, input: asRecord(params.arguments) ?? {}, signal: mcpReq.signal });
  });
  server.setRequestHandler("resources/list", async () => ({ resources: [...(await listResources(sessions))] }));
  server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }) => {
    const text = await readResource(sessions, uri);
    if (text === undefined) throw new ResourceNotFoundError(uri);
    return { contents: [{ uri, mimeType: "text/plain", text }] };
  });
  return server;
}

function describeTool(
  { name, description, properties, required, isOfSession, effect }: McpTool,
  sessions: McpSessions,
): Tool {
  const own = isOfSession ? sessionProperty(sessions.choice) : {};
  const isNamed = isOfSession && sessions.choice.type === "named";
  return {
    name,
    description,
    inputSchema: {
      type: "object",
      properties: { ...own, ...properties },
      required: [...(isNamed ? ["session"] : []), ...required],
    },
    annotations: { readOnlyHint: effect === "reads", destructiveHint: false, openWorldHint: false },
  };
}

/** Answers a call. The model is told a `PalimpsestError`, about which it can do something; of any other error it is only told that one occurred. */
async function callTool(tool: McpTool, call: Parameters<McpTool["answer"]>[0]): Promise<CallToolResult> {
  try {
    const { text, isError = false } = await tool.answer(call);
    return { content: [{ type: "text", text }], isError };
  } catch (error) {
    const isOurs = error instanceof PalimpsestError;
    if (!isOurs) call.sessions.failed?.(error);
    return { content: [{ type: "text", text: isOurs ? error.message : FAILED }], isError: true };
  }
}

const FAILED = "Something failed inside of Palimpsest, not by what was asked. Go on without it.";
