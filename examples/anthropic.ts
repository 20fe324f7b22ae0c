/** An agent on Anthropic's own client. A scripted model on loopback answers, so that this runs offline. */
import Anthropic from "@anthropic-ai/sdk";
import { createEngine } from "palimpsest";
import { fromAnthropic } from "palimpsest/messages";
import { startModelServer } from "palimpsest/testing";

const server = await startModelServer({
  contextWindow: 32_000,
  reply: ({ turn }) => ({ type: "tool-calls", calls: [{ id: `t${turn}`, name: "read", input: { lamp: turn } }] }),
});
const client = new Anthropic({ baseURL: server.baseUrls.anthropic.replace(/\/v1$/, ""), apiKey: "any" });
