/**
 * An extension for pi, which does not speak MCP, that offers the tools of the gateway's MCP server; `{url}` stands for the gateway's URL. If the
 * gateway does not answer, pi starts without them.
 */
export const PI_RECALL_EXTENSION = `let asked = 0;

async function ask(method, params, signal) {
  asked += 1;
  const response = await fetch("{url}/palimpsest/mcp", {
    method: "POST",
    signal,
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: asked, method, params }),
  });
  const text = await response.text();
  const event = text.split("\\n").find((line) => line.startsWith("data: "));
  const { result, error } = JSON.parse(event === undefined ? text : event.slice("data: ".length));
  if (error !== undefined) throw new Error(error.message);
  return result;
}

export default async function (pi) {
  const { tools } = await ask("tools/list", {}).catch(() => ({ tools: [] }));
  for (const { name, description, inputSchema } of tools) {
    pi.registerTool({
      name: "palimpsest_" + name,
      label: name,
      description,
      parameters: inputSchema,
      async execute(callId, parameters, signal) {
        const { content, isError } = await ask("tools/call", { name, arguments: parameters }, signal);
        if (isError === true) throw new Error(content.map(({ text }) => text).join("\\n"));
        return { content, details: {} };
      },
    });
  }
}
`;
