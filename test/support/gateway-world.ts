import { onTestFinished } from "vitest";
import {
  type Gateway,
  type GatewayOptions,
  type RequestActivity,
  startGateway,
  type Upstreams,
} from "../../src/gateway/index.ts";
import { memoryStore } from "../../src/stores/memory/index.ts";
import { type ModelServer, type ModelServerOptions, startModelServer } from "../../src/testing/index.ts";
import { type RecordedExchange, startRecorder } from "../agents/start-recorder.ts";
import { scriptedCalls } from "./gateway-script.ts";
import { ROOMY_LIMITS } from "./loopback.ts";

export interface GatewayWorldOptions {
  readonly server?: ModelServerOptions;
  readonly gateway?: Partial<GatewayOptions>;
}

/** A model server, a gateway before it, and before that something that remembers what clients sent; closed after the test. */
export interface GatewayWorld {
  readonly server: ModelServer;
  readonly gateway: Gateway;
  /** Where clients send their requests to. */
  readonly url: () => string;
  /** What clients sent, the oldest first. */
  readonly sent: readonly RecordedExchange[];
  /** The requests that are over. */
  readonly turns: readonly RequestActivity[];
  /** What failed inside the gateway. */
  readonly incidents: readonly string[];
}

/** The window of the server, and by default also the one that the gateway knows of. */
export async function startWorld({ server, gateway }: GatewayWorldOptions = {}): Promise<GatewayWorld> {
  const started = await startServer(server);
  const behind = await startGatewayBefore(started, gateway);
  const recorder = await startRecorder(behind.gateway.url);
  onTestFinished(() => recorder.close());
  return { server: started, ...behind, url: () => recorder.url, sent: recorder.exchanges };
}

/** A server that calls tools without end, unless the options say otherwise. */
export async function startServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const server = await startModelServer({ reply: scriptedCalls(), ...options });
  onTestFinished(() => server.close());
  return server;
}

export async function startGatewayBefore(
  { url }: Pick<ModelServer, "url">,
  options: Partial<GatewayOptions> = {},
): Promise<Pick<GatewayWorld, "gateway" | "turns" | "incidents">> {
  const turns: RequestActivity[] = [];
  const incidents: string[] = [];
  const limits = { ...ROOMY_LIMITS, ...options.limits };
  const gateway = await startGateway({
    port: 0,
    store: memoryStore(),
    upstreams: everyUpstream(url),
    ...options,
    limits,
  });
  onTestFinished(() => gateway.close());
  gateway.activity.listen((activity) => {
    if (activity.type === "request") turns.push(activity);
    if (activity.type === "incident") incidents.push(`${activity.what}: ${activity.error}`);
  });
  return { gateway, turns, incidents };
}

function everyUpstream(url: string): Upstreams {
  return { anthropic: url, openai: url, gemini: url };
}
