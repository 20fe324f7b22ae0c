import { PalimpsestError } from "../../core/errors.ts";
import { createEngine } from "../../engine/create-engine.ts";
import type { Session } from "../../engine/session/session.ts";
import { type Gateway, startGateway } from "../../gateway/index.ts";
import { memoryStore } from "../../stores/memory/memory-store.ts";

/** The id of the demo's session in its gateway. */
const DEMO_SESSION_ID = "demo";

/** A gateway with the demo's session in its store, which is gone when the process ends. Another port where that one is taken. */
export async function startDemoGateway(session: Session, port?: number): Promise<Gateway> {
  const store = memoryStore();
  const engine = createEngine({ model: "claude-sonnet-4-5", store });
  const imported = await engine.importSession(await session.export(), { id: DEMO_SESSION_ID });
  imported.close();
  try {
    return await startGateway({ store, port });
  } catch (error) {
    const isTaken = error instanceof PalimpsestError && error.code === "address-in-use";
    if (!isTaken || port !== undefined) throw error;
    return startGateway({ store, port: 0 });
  }
}

/** What to do with it. */
export function demoGatewayText({ url }: Gateway): string {
  return `
The gateway listens at ${url}, with this session in its store:

  curl ${url}/palimpsest/api/sessions/${DEMO_SESSION_ID}
  curl "${url}/palimpsest/api/sessions/${DEMO_SESSION_ID}/recall?q=tide+offset"

Point an agent at it, and its sessions are there too. Your key goes to your provider as it always does.

  ANTHROPIC_BASE_URL=${url} claude
  GOOGLE_GEMINI_BASE_URL=${url} gemini
  OPENAI_BASE_URL=${url}/v1 qwen

"palimpsest run -- <agent>" does this by itself, and "palimpsest up" keeps the sessions in a file. docs/guides/agents.md
has a section for each agent. Ctrl-C ends this one.
`;
}
