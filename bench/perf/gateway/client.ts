/** The load: requests over connections that stay open, each timed until its reply is whole. */
import { Pool } from "undici";
import type { AgentRequest } from "./conversations.ts";

export interface Exchange {
  readonly milliseconds: number;
  /** Until the first bytes of the reply's body were there. */
  readonly firstByteMs: number;
  /** How many bytes the upstream says that it was sent. */
  readonly sentBytes: number;
  /** In what was sent, as our gateway says. */
  readonly folds: number;
}

export interface Client {
  send(request: AgentRequest): Promise<Exchange>;
  close(): Promise<void>;
}

const IDLE_MS = 600_000;

export function connect(url: string, ownHeaders: Readonly<Record<string, string>> = {}): Client {
  const pool = new Pool(url, { connections: 32, keepAliveTimeout: IDLE_MS, keepAliveMaxTimeout: IDLE_MS });
  const common = { "content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": "bench" };
  return {
    send: async ({ sessionId, body }) => {
      const headers = { ...common, ...ownHeaders, "x-claude-code-session-id": sessionId };
      const start = performance.now();
      const reply = await pool.request({ method: "POST", path: "/v1/messages", headers, body });
      let firstByteMs = Number.NaN;
      reply.body.once("data", () => {
        firstByteMs = performance.now() - start;
      });
      const text = await reply.body.text();
      const milliseconds = performance.now() - start;
      if (reply.statusCode !== 200) throw new Error(`${url} answered ${reply.statusCode}: ${text.slice(0, 300)}`);
      const sentBytes = Number(/"msg_(\d+)"/.exec(text)?.[1] ?? Number.NaN);
      return { milliseconds, firstByteMs, sentBytes, folds: Number(reply.headers["x-palimpsest-folds"] ?? 0) };
    },
    close: () => pool.close(),
  };
}
