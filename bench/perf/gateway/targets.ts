/** What is measured side by side, each in a process of its own. */
import type { Windows } from "palimpsest/gateway";
import { type Child, startChild } from "./child.ts";

export interface GatewaySettings {
  readonly upstreamUrl: string;
  readonly store: "sqlite" | "memory";
  readonly windows: Windows;
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

export async function startGatewayChild(settings: GatewaySettings, flags: readonly string[] = []): Promise<Child> {
  return startChild("gateway-process.ts", { settings, flags: ["--expose-gc", ...flags] });
}

export async function accountOf(gateway: Child): Promise<GatewayAccount> {
  const account = await gateway.ask("account");
  if (!isAccount(account)) throw new Error("The gateway's process ended.");
  return account;
}

function isAccount(answer: unknown): answer is GatewayAccount {
  return typeof answer === "object" && answer !== null && "rssMegabytes" in answer;
}
