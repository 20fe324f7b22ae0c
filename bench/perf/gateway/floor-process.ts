/**
 * The least that a proxy in this runtime costs: Node's server, undici's client, bytes passed on as they come. It reads nothing, keeps nothing
 * and guards nothing.
 */
import { createServer, type ServerResponse } from "node:http";
import { type Dispatcher, Pool } from "undici";
import { answerParent, stayWithParent } from "./child.ts";

const settings: { readonly upstreamUrl: string } = JSON.parse(process.argv[2] ?? "{}");
const HOP_BY_HOP: ReadonlySet<string> = new Set(["connection", "keep-alive", "transfer-encoding", "host"]);
const IDLE_MS = 600_000;
const pool = new Pool(settings.upstreamUrl, { connections: 32, keepAliveTimeout: IDLE_MS });

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const [only = Buffer.alloc(0), second] = chunks;
    const body = second === undefined ? only : Buffer.concat(chunks);
    const sending = { method: "POST", path: request.url ?? "/", headers: endToEnd(request.rawHeaders), body } as const;
    pool.dispatch(sending, passOnTo(response));
  });
});
server.keepAliveTimeout = IDLE_MS;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) process.send?.(`http://127.0.0.1:${address.port}`);
});
answerParent((question) => question);
stayWithParent(() => pool.destroy());

function passOnTo(response: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart: () => undefined,
    onResponseStart: ({ rawHeaders }, status) => {
      const raw = Array.isArray(rawHeaders) ? rawHeaders.map(String) : [];
      response.sendDate = false;
      response.writeHead(status, endToEnd(raw));
    },
    onResponseData: (_, chunk) => void response.write(chunk),
    onResponseEnd: () => void response.end(),
    onResponseError: () => void response.destroy(),
  };
}

/** Headers but those of one connection; name, value, name, value … */
function endToEnd(raw: readonly string[]): string[] {
  const picked: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const [name = "", value = ""] = [raw[index], raw[index + 1]];
    if (!HOP_BY_HOP.has(name.toLowerCase())) picked.push(name, value);
  }
  return picked;
}
