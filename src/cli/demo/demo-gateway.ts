import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../core/ports/store.ts";
import type { Session } from "../../engine/session/session.ts";
import type { Gateway } from "../../gateway/index.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { dashboardUrl } from "../gateway/open-dashboard.ts";
import { guidePath } from "../guide-path.ts";
import { anySignal } from "../terminal/any-signal.ts";
import type { Output } from "../terminal/output.ts";

/** A gateway, and the store of its sessions. */
export interface DemoGateway {
  readonly gateway: Gateway;
  readonly store: Store;
}

/** Starts a gateway with a store in memory. If no port is named and the default one is in use, any free port is taken. */
export async function startDemoGateway(port?: number): Promise<DemoGateway> {
  // Imported only here: a demo without a gateway need not load it.
  const { startGateway } = await import("../../gateway/index.ts");
  const store = memoryStore();
  try {
    return { store, gateway: await startGateway({ store, port }) };
  } catch (error) {
    const isTaken = error instanceof PalimpsestError && error.code === "address-in-use";
    if (!isTaken || port !== undefined) throw error;
    return { store, gateway: await startGateway({ store, port: 0 }) };
  }
}

/** Prints where the gateway shows a session, and resolves when a signal ends the demo. */
export async function serveDemo(
  { gateway }: DemoGateway,
  { session, output }: { readonly session: Session; readonly output: Output },
): Promise<void> {
  // Before the output: a program that reads it may send a signal at once.
  const ended = anySignal("SIGINT", "SIGTERM", "SIGHUP");
  output.write(gatewayText(gateway, session.id));
  await ended;
}

function gatewayText({ url }: Gateway, sessionId: string): string {
  return `
The dashboard: ${dashboardUrl(url)}#/session/${sessionId}/strata

The gateway listens at ${url}, with this session in its store:

  curl ${url}/palimpsest/api/sessions/${sessionId}
  curl "${url}/palimpsest/api/sessions/${sessionId}/recall?q=free+feed+pages"

Point an agent at it, and its sessions are there too. Your key goes to your provider as it always does.

  ANTHROPIC_BASE_URL=${url} claude
  GOOGLE_GEMINI_BASE_URL=${url} gemini
  OPENAI_BASE_URL=${url}/v1 qwen

"palimpsest run -- <agent>" does this by itself, and "palimpsest up" keeps the sessions in a file.
${guidePath("agents")} has a section for each agent. Ctrl-C ends this one.
`;
}
