/** The load: requests over connections that stay open, each timed from its first byte to the reply's last. */
import { Pool } from "undici";

export interface AgentRequest {
  readonly sessionId: string;
  readonly body: Buffer;
  readonly isStreaming: boolean;
}

export interface Exchange {
  readonly milliseconds: number;
  /** How many bytes the upstream says that it was sent. */
  readonly sentBytes: number;
  /** In what was sent, as our gateway says. */
  readonly folds: number;
}

export interface Client {
  send(request: AgentRequest): Promise<Exchange>;
  close(): Promise<void>;
}

export function connect(url: string, extraHeaders: Readonly<Record<string, string>> = {}): Client {
  const pool = new Pool(url, { connections: 64, keepAliveTimeout: 600_000, keepAliveMaxTimeout: 600_000 });
  const headers = {
    "content-type": "application/json",
    "anthropic-version": "2023-06-01",
    "x-api-key": "bench",
    ...extraHeaders,
  };
  return {
    send: async ({ sessionId, body, isStreaming }) => {
      const own = {
        "x-claude-code-session-id": sessionId,
        ...(isStreaming ? { "anthropic-beta": "bench-streaming" } : {}),
      };
      const start = performance.now();
      const reply = await pool.request({ method: "POST", path: "/v1/messages", headers: { ...headers, ...own }, body });
      const text = await reply.body.text();
      const milliseconds = performance.now() - start;
      if (reply.statusCode !== 200) throw new Error(`${url} answered ${reply.statusCode}: ${text.slice(0, 300)}`);
      const sentBytes = Number(/"msg_(\d+)"/.exec(text)?.[1] ?? Number.NaN);
      return { milliseconds, sentBytes, folds: Number(reply.headers["x-palimpsest-folds"] ?? 0) };
    },
    close: () => pool.close(),
  };
}
