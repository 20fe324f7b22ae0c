import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../core/ports/store.ts";
import type { Session } from "../../engine/session/session.ts";
import type { Gateway } from "../../gateway/index.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";
import { dashboardUrl } from "../gateway/open-dashboard.ts";
import { anySignal } from "../terminal/any-signal.ts";
import type { Output } from "../terminal/output.ts";

/** A gateway, and the store that it shows. */
export interface DemoGateway {
  readonly gateway: Gateway;
  readonly store: Store;
}

/** A gateway whose sessions are gone when the process ends. Another port where that one is taken. */
export async function startDemoGateway(port?: number): Promise<DemoGateway> {
  // Whoever only looks at the replay does not wait for the gateway to load.
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

/** Shows a session of its store until someone ends it. */
export async function serveDemo(
  { gateway }: DemoGateway,
  { session, output }: { readonly session: Session; readonly output: Output },
): Promise<void> {
  // Whoever reads that it listens may end it at once.
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

"palimpsest run -- <agent>" does this by itself, and "palimpsest up" keeps the sessions in a file. docs/guides/agents.md
has a section for each agent. Ctrl-C ends this one.
`;
}
