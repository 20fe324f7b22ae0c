/** A server between two others that lets replies break off. */
import { createServer, request } from "node:http";
import { onTestFinished } from "vitest";

export interface Cut {
  /** The reply that breaks off, counted from the next one on. */
  reply: number;
  /** Behind so many of its bytes. */
  afterBytes: number;
  /** Whether the connection is cut there, or the body ends as if it were whole. */
  how: "cut" | "end";
}

/** Passes requests on to a server, and remembers what it replies, whole; one reply breaks off where `cut` says so. */
export async function startCutter(serverUrl: string) {
  const state: { cut: Cut | undefined; bodies: Buffer[] } = { cut: undefined, bodies: [] };
  const cutter = createServer((asked, answer) => {
    const { method, headers, url = "/" } = asked;
    const cut = state.cut === undefined ? undefined : { ...state.cut };
    if (state.cut !== undefined) state.cut.reply -= 1;
    asked.pipe(
      request(new URL(url, serverUrl), { method, headers }, (reply) => {
        answer.writeHead(reply.statusCode ?? 500, reply.headers);
        const at = state.bodies.push(Buffer.alloc(0)) - 1;
        const body = () => state.bodies[at] ?? Buffer.alloc(0);
        reply.on("data", (chunk: Buffer) => {
          const left = cut?.reply === 0 ? cut.afterBytes - body().length : chunk.length;
          state.bodies[at] = Buffer.concat([body(), chunk]);
          if (left > 0) answer.write(chunk.subarray(0, left));
        });
        reply.on("end", () => {
          const isCut = cut?.reply === 0 && cut.how === "cut" && cut.afterBytes < body().length;
          // What was written must be on its way first.
          if (isCut) setImmediate(() => answer.destroy());
          else answer.end();
        });
      }),
    );
  });
  await new Promise<void>((resolve) => cutter.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void cutter.close());
  const address = cutter.address();
  if (address === null || typeof address === "string") throw new Error("It listens on a port.");
  return { url: `http://127.0.0.1:${address.port}`, state };
}
