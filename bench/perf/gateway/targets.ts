/** What is measured side by side, each in a process of its own. */
import type { Windows } from "palimpsest/gateway";
import { type Child, startChild } from "./child.ts";
import { type Client, connect } from "./client.ts";
import { NARROW_WINDOWS, WIDE_WINDOWS } from "./workloads.ts";

export interface GatewaySettings {
  readonly upstreamUrl: string;
  readonly store: "sqlite" | "memory";
  readonly windows: Windows;
  /** @default false */
  readonly recallTool?: boolean;
}

/** What a gateway did so far, and the memory it has after collecting garbage. */
export interface GatewayAccount {
  readonly requests: number;
  /** Those that made folds; others only replay them. */
  readonly foldingRequests: number;
  readonly incidents: number;
  readonly rssMegabytes: number;
  readonly heapMegabytes: number;
}

export type TargetName =
  | "direct"
  | "Portkey"
  | "folding off"
  | "  in memory"
  | "  unknown"
  | "folding on"
  | "  recall tool";

export interface Target {
  readonly name: TargetName;
  readonly client: Client;
  /** Undefined where it is not ours. */
  readonly gateway: Child | undefined;
  /** Whether each request is the first one of a conversation. */
  readonly isCold: boolean;
}

export interface Targets {
  readonly all: readonly Target[];
  end(): Promise<void>;
}

export async function startTargets(): Promise<Targets> {
  const upstream = await startChild("upstream-process.ts");
  const [portkey, off, inMemory, on] = await Promise.all([
    startChild("portkey-process.ts"),
    startGatewayChild({ upstreamUrl: upstream.url, store: "sqlite", windows: WIDE_WINDOWS }),
    startGatewayChild({ upstreamUrl: upstream.url, store: "memory", windows: WIDE_WINDOWS }),
    startGatewayChild({ upstreamUrl: upstream.url, store: "sqlite", windows: NARROW_WINDOWS }),
  ]);
  const toUpstream = { "x-portkey-provider": "anthropic", "x-portkey-custom-host": `${upstream.url}/v1` };
  const ours = (name: TargetName, gateway: Child, isCold = false) => ({
    name,
    client: connect(gateway.url),
    gateway,
    isCold,
  });
  const all: readonly Target[] = [
    { name: "direct", client: connect(upstream.url), gateway: undefined, isCold: false },
    { name: "Portkey", client: connect(portkey.url, toUpstream), gateway: undefined, isCold: false },
    ours("folding off", off),
    ours("  in memory", inMemory),
    ours("  unknown", off, true),
    ours("folding on", on),
  ];
  return {
    all,
    end: async () => {
      for (const { client } of all) await client.close();
      for (const child of [portkey, off, inMemory, on, upstream]) await child.end();
    },
  };
}

export function startGatewayChild(settings: GatewaySettings): Promise<Child> {
  return startChild("gateway-process.ts", { settings, flags: ["--expose-gc"] });
}

/** Waits until the gateway has nothing more to do, and collects its garbage. */
export async function accountOf(gateway: Child): Promise<GatewayAccount> {
  const account = await gateway.ask("account");
  if (!isAccount(account)) throw new Error("The gateway's process ended.");
  return account;
}

function isAccount(answer: unknown): answer is GatewayAccount {
  return typeof answer === "object" && answer !== null && "rssMegabytes" in answer;
}
