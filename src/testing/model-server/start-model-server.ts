import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { assert, assertArray, assertFunction, assertNumber, assertObject } from "../../core/assert.ts";
import { cacheDiagnoses } from "./cache/cache-diagnosis.ts";
import { promptCache } from "./cache/prompt-cache.ts";
import { checkReply } from "./check-reply.ts";
import type { ModelRequest, ModelServer, ModelServerOptions, ScriptedReply } from "./model-server.ts";
import { serve } from "./serve.ts";

const DEFAULT_CONTEXT_WINDOW = 200_000;
/** The largest body that Anthropic accepts; the other wires have the same limit here. */
const DEFAULT_MAX_BODY_BYTES = 32 * 1024 * 1024;
const DEFAULT_REPLY: ScriptedReply = { type: "text", text: "This is the model server's default reply." };

/**
 * Starts a server on a free port of 127.0.0.1 that speaks Anthropic Messages, OpenAI Chat Completions and Responses, Gemini and
 * DeepSeek, refuses what these providers refuse, and answers or fails as it is told.
 * @example
 * ```ts
 * import { startModelServer } from "palimpsest/testing";
 * const server = await startModelServer({ contextWindow: 8_000 });
 * server.script({ type: "text", text: "It blinks twice." });
 * console.log(server.baseUrls.anthropic.startsWith("http://127.0.0.1:"), server.requests.length); // true 0
 * await server.close();
 * ```
 */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  checkOptions(options);
  const { apiKey, models, maxBodyBytes = DEFAULT_MAX_BODY_BYTES, reply = () => DEFAULT_REPLY } = options;
  const requests: ModelRequest[] = [];
  const script: ScriptedReply[] = [];
  const host = {
    settings: { apiKey, models, maxBodyBytes, contextWindowOf: windowOf(options) },
    cache: options.promptCache === true ? promptCache() : undefined,
    diagnoses: cacheDiagnoses(),
    record: (request: ModelRequest) => requests.push(request),
    nextReply: (request: ModelRequest) => script.shift() ?? reply(request),
  };
  // Longer than clients keep a connection: one that Node closes by default after five seconds may be just about to be used again.
  const server = createServer(
    { keepAliveTimeout: 75_000 },
    (incoming, response) => void serve(host, incoming, response),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${portOf(server.address())}`;
  return {
    url,
    baseUrls: {
      anthropic: `${url}/v1`,
      openai: `${url}/v1`,
      "openai-responses": `${url}/v1`,
      gemini: `${url}/v1beta`,
      deepseek: `${url}/deepseek`,
    },
    requests,
    script(...replies) {
      for (const scripted of replies) checkReply(scripted);
      script.push(...replies);
    },
    async close() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function checkOptions(options: ModelServerOptions): void {
  assertObject("options", options);
  const { contextWindow, maxBodyBytes, promptCache, reply, apiKey, models } = options;
  if (contextWindow !== undefined && typeof contextWindow !== "function") {
    assertNumber("contextWindow", contextWindow, 1);
  }
  if (maxBodyBytes !== undefined) assertNumber("maxBodyBytes", maxBodyBytes, 1);
  assert([undefined, true, false].includes(promptCache), "promptCache", promptCache, "true or false");
  if (reply !== undefined) assertFunction("reply", reply);
  if (apiKey !== undefined)
    assert(typeof apiKey === "string" && apiKey !== "", "apiKey", apiKey, "a string, not empty");
  if (models !== undefined) assertArray("models", models);
}

function windowOf({ contextWindow = DEFAULT_CONTEXT_WINDOW }: ModelServerOptions): (modelId: string) => number {
  if (typeof contextWindow === "number") return () => contextWindow;
  return (modelId) => {
    const tokens = contextWindow(modelId);
    assertNumber(`contextWindow("${modelId}")`, tokens, 1);
    return tokens;
  };
}

function portOf(address: AddressInfo | string | null): number {
  assert(typeof address === "object" && address !== null, "address", address, "that of a listening server");
  return address.port;
}
