import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { type SyntheticSize, syntheticStrata } from "./synthetic-session.ts";

export interface SyntheticServer {
  readonly url: string;
  /** Sends an event to every page that follows. */
  tell(): void;
  /** One request more, and the event that says so. */
  grow(): void;
  close(): void;
}

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};
const SESSION_ID = "synthetic";

/** The built dashboard before a session of any size. */
export async function startSyntheticServer(folder: string, size: SyntheticSize): Promise<SyntheticServer> {
  const files = new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  const followers = new Set<ServerResponse>();
  let events = 0;
  let requests = size.requests;

  function tell(): void {
    events += 1;
    const data = JSON.stringify({ type: "session", at: events, sessionId: SESSION_ID, change: "appended" });
    for (const follower of followers) follower.write(`id: ${events}\nevent: session\ndata: ${data}\n\n`);
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (pathname.endsWith("/events")) {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": here\n\n");
      followers.add(response);
      response.once("close", () => followers.delete(response));
      return;
    }
    const name = pathname.slice(pathname.lastIndexOf("/") + 1) || "index.html";
    const file = files.get(name);
    const [type, body] =
      file === undefined
        ? ["application/json", JSON.stringify(dataOf(pathname, searchParams, { ...size, requests }))]
        : [TYPES[extname(name)] ?? "text/html", file];
    response.writeHead(200, { "content-type": type }).end(body);
  }

  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/palimpsest/#/session/${SESSION_ID}/strata`,
    tell,
    grow: () => {
      requests += 1;
      tell();
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function dataOf(pathname: string, query: URLSearchParams, size: SyntheticSize): unknown {
  const numberOf = (name: string) => Number(query.get(name) ?? 0);
  if (!pathname.endsWith("/strata")) return { version: 1 };
  return syntheticStrata(size, {
    fromMessage: numberOf("fromMessage"),
    toMessage: numberOf("toMessage"),
    fromRequest: numberOf("fromRequest"),
    toRequest: numberOf("toRequest"),
  });
}
