import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Ajv2020 } from "ajv/dist/2020.js";
import { WIRE_ADAPTERS } from "../../src/adapters/index.ts";
import { createModelRegistry } from "../../src/core/models/registry.ts";
import type { CondensationPlugin } from "../../src/core/ports/condensation.ts";
import type { Store } from "../../src/core/ports/store.ts";
import { createEngine } from "../../src/engine/create-engine.ts";
import { type ActivityFeed, createActivityFeed, type RequestActivity } from "../../src/gateway/activity.ts";
import { createApi } from "../../src/gateway/api/create-api.ts";
import { keepStatements } from "../../src/gateway/statements.ts";
import { keepStats } from "../../src/gateway/stats.ts";
import { memoryStore } from "../../src/stores/memory/memory-store.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it as they like; the document's schemas have checked it
  readonly body: any;
}

export type ApiUnderTest = Awaited<ReturnType<typeof startApi>>;

export interface ApiUnderTestOptions {
  readonly store?: Store;
  readonly condenser?: CondensationPlugin;
}

/** The API on a server of its own. Every JSON answer must be what its OpenAPI document says. */
export async function startApi({ store = memoryStore(), condenser }: ApiUnderTestOptions = {}) {
  const feed = createActivityFeed();
  const startedAt = Date.now();
  const stats = keepStats(feed, startedAt);
  const model = { model: "claude-sonnet-4-5", contextWindow: 32_000, maxTokens: 4_000 };
  const engine = createEngine({ ...model, store, condenser });
  const registry = createModelRegistry();
  const statements = keepStatements({ store, feed, registry, leftTokens: () => 16_000, since: 0 });
  const api = createApi({
    engine,
    store,
    stats,
    feed,
    statements,
    adapters: WIRE_ADAPTERS,
    version: "1.2.3",
    startedAt,
  });
  // By default a connection is closed after five seconds, on a busy machine just when it is used again.
  const server = createServer({ keepAliveTimeout: 600_000 }, api.listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${portOf(server.address())}`;
  const check = await answerChecker(`${url}/palimpsest/api/openapi.json`);

  async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(`${url}/palimpsest${path}`, init);
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    const body = isJson ? await response.json() : await response.text();
    if (isJson) check({ method: init.method ?? "GET", path: `/palimpsest${path}`, status: response.status, body });
    return { status: response.status, headers: response.headers, body };
  }

  return {
    url,
    api,
    engine,
    store,
    feed,
    stats,
    ask,
    get: (path: string) => ask(`/api${path}`),
    send: (method: "POST" | "DELETE", path: string, body: unknown = {}) =>
      ask(`/api${path}`, {
        method,
        headers: { "content-type": "application/json" },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    close: async () => {
      api.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await store.close();
    },
  };
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: unknown;
}

/** Throws where an answer is not what the document says about it; what is refused everywhere alike is an Error. */
async function answerChecker(documentUrl: string): Promise<(exchange: Exchange) => void> {
  const { paths, components }: Answer["body"] = await (await fetch(documentUrl)).json();
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  const local = (schema: unknown) => JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "schema:"));
  for (const [name, schema] of Object.entries(components.schemas)) ajv.addSchema(local(schema), `schema:${name}`);
  return ({ method, path, status, body }) => {
    const described = pathFor(Object.keys(paths), path.split("?")[0] ?? "");
    const operation = described === undefined ? undefined : paths[described][method.toLowerCase()];
    const schema = operation?.responses[status]?.content["application/json"]?.schema;
    if (operation !== undefined && schema === undefined) throw new Error(`${method} ${path} never answers ${status}`);
    const validate = ajv.compile(local(schema ?? { $ref: "schema:Error" }));
    if (!validate(body)) throw new Error(`${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}`);
  };
}

export function pathFor(described: readonly string[], path: string): string | undefined {
  const exact = described.find((each) => each === path);
  return exact ?? described.find((each) => new RegExp(`^${each.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path));
}

/** A request that is over, as the gateway tells of it. */
export function requestActivity(fields: Partial<RequestActivity> = {}): RequestActivity {
  return {
    type: "request",
    at: 2_000,
    startedAt: 1_000,
    api: "anthropic",
    operation: "generate",
    modelId: "claude-sonnet-4-5",
    sessionId: "a",
    status: 200,
    isStreaming: true,
    isComplete: true,
    tokensIn: 1_000,
    tokensSent: 400,
    foldIds: [],
    retries: 0,
    addedMs: 2,
    usage: { inputTokens: 400, outputTokens: 20 },
    costUsd: 0.01,
    ...fields,
  };
}

/** What the feed publishes from now on. */
export function listenTo(feed: ActivityFeed) {
  const heard: Parameters<Parameters<ActivityFeed["listen"]>[0]>[0][] = [];
  feed.listen((activity) => heard.push(activity));
  return heard;
}
