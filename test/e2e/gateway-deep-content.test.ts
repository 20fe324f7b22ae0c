/** A request with content that is nested deeper than the stack is nobody's conversation: it is forwarded as it came. */
import { afterEach, expect, test } from "vitest";
import { startGatewayBefore } from "../support/gateway-world.ts";
import { closeAll, startUpstream } from "../support/loopback.ts";

afterEach(closeAll);

const DEPTH = 50_000;
const DEEP = `${"[".repeat(DEPTH)}"x"${"]".repeat(DEPTH)}`;

const BODIES = {
  "/v1/messages": `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"Look."},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"look","input":{"at":${DEEP}}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"Seen."}]}]}`,
  "/v1/responses": `{"model":"gpt-5","input":[{"role":"user","content":"Look."},{"type":"odd_item","value":${DEEP}}]}`,
  "/v1/chat/completions": `{"model":"gpt-5","messages":[{"role":"user","content":[{"type":"text","text":"Look."},{"type":"odd","value":${DEEP}}]}]}`,
  "/v1beta/models/gemini-2.5-pro:generateContent": `{"contents":[{"role":"user","parts":[{"text":"Look."},{"functionResponse":{"name":"look","response":{"at":${DEEP}}}}]}]}`,
};

test.each(Object.entries(BODIES))("%s", async (path, body) => {
  const upstream = await startUpstream((response) =>
    response.writeHead(200, { "content-type": "application/json" }).end("{}"),
  );
  const { gateway, incidents } = await startGatewayBefore(upstream);
  const headers = { "content-type": "application/json" };
  const reply = await fetch(`${gateway.url}${path}`, { method: "POST", body, headers });
  expect(reply.status).toBe(200);
  expect(upstream.requests.map(({ body: sent }) => sent.toString() === body)).toEqual([true]);
  expect(incidents).toEqual([]);
});
