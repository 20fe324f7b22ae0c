/** What is measured side by side, each in a process of its own. */
import type { GatewayOptions, Windows } from "palimpsest/gateway";
import { type Child, startChild } from "./child.ts";
import { type Client, connect } from "./client.ts";
import { NARROW_WINDOWS, WITHOUT_FOLDS } from "./workloads.ts";

export interface GatewaySettings {
  readonly upstreamUrl: string;
  readonly store: "sqlite" | "memory";
  /** The file of the database. @default one of its own, which goes with the process */
  readonly path?: string;
  readonly windows: Windows;
  /** @default what `palimpsest up` has: prices decide */
  readonly configuration?: GatewayOptions["configuration"];
  /** @default false */
  readonly recallTool?: boolean;
  /** Whether it can be asked for the longest block of its event loop. @default false */
  readonly watchesLoop?: boolean;
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
  | "bare proxy"
  | "Portkey"
  | "folding off"
  | "  in memory"
  | "  unknown"
  | "folding on"
  | "  recall tool";

export interface Target {
  readonly name: TargetName;
  readonly client: Client;
  /** The process that passes requests on; undefined where they go to the upstream directly. */
  readonly child: Child | undefined;
  /** Whether it is our gateway. */
  readonly isOurs: boolean;
  /** Whether each request is the first one of a conversation. */
  readonly isCold: boolean;
}

export interface Targets {
  readonly all: readonly Target[];
  end(): Promise<void>;
}

export async function startTargets(): Promise<Targets> {
  const upstream = await startChild("upstream-process.ts");
  const [floor, portkey, off, inMemory, on] = await Promise.all([
    startChild("floor-process.ts", { settings: { upstreamUrl: upstream.url } }),
    startChild("portkey-process.ts"),
    startGatewayChild({ upstreamUrl: upstream.url, store: "sqlite", ...WITHOUT_FOLDS }),
    startGatewayChild({ upstreamUrl: upstream.url, store: "memory", ...WITHOUT_FOLDS }),
    startGatewayChild({ upstreamUrl: upstream.url, store: "sqlite", windows: NARROW_WINDOWS }),
  ]);
  const toUpstream = { "x-portkey-provider": "anthropic", "x-portkey-custom-host": `${upstream.url}/v1` };
  const others = { isOurs: false, isCold: false };
  const all: readonly Target[] = [
    { name: "direct", client: connect(upstream.url), child: undefined, ...others },
    { name: "bare proxy", client: connect(floor.url), child: floor, ...others },
    { name: "Portkey", client: connect(portkey.url, toUpstream), child: portkey, ...others },
    ourTarget("folding off", off),
    ourTarget("  in memory", inMemory),
    { ...ourTarget("  unknown", off), isCold: true },
    ourTarget("folding on", on),
  ];
  return {
    all,
    end: async () => {
      for (const { client } of all) await client.close();
      for (const child of [floor, portkey, off, inMemory, on, upstream]) await child.end();
    },
  };
}

/** A gateway of ours that knows the conversations it is sent. */
export function ourTarget(name: TargetName, child: Child): Target {
  return { name, client: connect(child.url), child, isOurs: true, isCold: false };
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
