// The gateway's own forecast on the same traffic: each recorded request is sent through a real gateway, whose upstream reports what the
// provider reported. What the gateway says of a prompt before it sees that report is compared with it.

import { createServer } from "node:http";
import { findModel, type Message, type ReportedUsage } from "palimpsest";
import { startGateway } from "palimpsest/gateway";
import { memoryStore } from "palimpsest/stores/memory";
import type { RecordedRequest } from "./claude-code-requests.ts";

export interface Foretold {
  /** The number of the request in its conversation. */
  readonly index: number;
  readonly predictedTokens: number;
  readonly previous: RecordedRequest;
  readonly request: RecordedRequest;
}

interface Upstream {
  readonly url: string;
  /** What it reports next. */
  report(usage: ReportedUsage): void;
  close(): void;
}

/** What a gateway foretold for each request but the first of each conversation. Nothing is folded: the recorded prompts were not, either. */
export async function foretellInGateway(
  conversations: readonly (readonly RecordedRequest[])[],
  promptTokensOf: (usage: ReportedUsage) => number,
  rawTokensOf: (messages: readonly Message[]) => number,
): Promise<readonly Foretold[]> {
  const upstream = await startUpstream();
  const store = memoryStore();
  const gateway = await startGateway({
    port: 0,
    store,
    upstreams: { anthropic: upstream.url },
    windows: { all: 100_000_000 },
    configuration: { thresholds: { adaptive: false } },
  });
  const foretold: Foretold[] = [];
  for (const [number, requests] of conversations.entries()) {
    const messages: Message[] = [];
    // In no file: a text of about their size stands for system prompt and tools.
    let system = "";
    for (const [index, request] of requests.entries()) {
      const previous = requests[index - 1];
      messages.push(...(previous === undefined ? [] : [previous.reply]), ...request.added);
      if (previous === undefined) {
        const { tokenRatio = 1 } = findModel(request.model);
        system = "word ".repeat(Math.max(0, promptTokensOf(request.usage) / tokenRatio - rawTokensOf(messages)));
      }
      upstream.report(request.usage);
      const predictedTokens = await send(gateway.url, `forecast-${number}`, { model: request.model, system, messages });
      if (previous !== undefined) foretold.push({ index, predictedTokens, previous, request });
    }
  }
  await gateway.close();
  await store.close();
  upstream.close();
  return foretold;
}

async function send(
  url: string,
  session: string,
  {
    model,
    system,
    messages,
  }: { readonly model: string; readonly system: string; readonly messages: readonly Message[] },
): Promise<number> {
  const tools = [{ name: "Read", description: "Reads a file.", input_schema: { type: "object" } }];
  const body = JSON.stringify({ model, max_tokens: 1_000, system, tools, messages: messages.map(onTheWire) });
  const headers = { "content-type": "application/json", "x-api-key": "key", "anthropic-version": "2023-06-01" };
  const reply = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { ...headers, "x-palimpsest-session": session },
    body,
  });
  await reply.text();
  return Number(reply.headers.get("x-palimpsest-tokens-sent"));
}

function onTheWire({ role, content }: Message): object {
  if (typeof content === "string") return { role, content };
  const blocks = content.map((block) =>
    block.type === "reasoning"
      ? { type: "thinking", thinking: "text" in block ? block.text : "", signature: "s" }
      : block,
  );
  return { role, content: blocks };
}

async function startUpstream(): Promise<Upstream> {
  let usage: ReportedUsage = { inputTokens: 1 };
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      const reported = {
        input_tokens: usage.inputTokens,
        output_tokens: usage.outputTokens,
        cache_read_input_tokens: usage.cacheReadTokens,
        cache_creation_input_tokens: usage.cacheWriteTokens,
      };
      const body = JSON.stringify({ type: "message", role: "assistant", content: [], usage: reported });
      response.writeHead(200, { "content-type": "application/json" }).end(body);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    report: (next) => {
      usage = next;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
