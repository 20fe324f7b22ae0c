/** Portkey's gateway as its package starts it, without its page and its log of requests. */
import { createServer, Server } from "node:net";
import { answerParent, stayWithParent } from "./child.ts";

const HOST = "127.0.0.1";

answerParent((question) => question);
stayWithParent(() => undefined);
const port = await freePort();
listenOnLoopback();
process.argv.splice(2, process.argv.length, `--port=${port}`, "--headless");
// A name in a variable: the package has no types.
const entry = "@portkey-ai/gateway/build/start-server.js";
await import(entry);
copyFetchedHeaders();
process.send?.(`http://${HOST}:${port}`);

/** It has no option for the address, and would listen on all of them. */
function listenOnLoopback(): void {
  const { listen } = Server.prototype;
  Server.prototype.listen = function (this: Server, ...details: unknown[]): Server {
    const onListening = details.find((detail) => typeof detail === "function");
    return Reflect.apply(listen, this, [port, HOST, onListening]);
  };
}

/**
 * The newest server within its range makes a response of a fetched one with the same headers, which nobody may change: each stream
 * would end in an error.
 */
function copyFetchedHeaders(): void {
  globalThis.Response = new Proxy(globalThis.Response, {
    construct: (target, [body, init]: [unknown, ResponseInit | undefined]) => {
      if (!(init?.headers instanceof Headers)) return Reflect.construct(target, [body, init]);
      const { status, statusText, headers } = init;
      return Reflect.construct(target, [body, { status, statusText, headers: new Headers(headers) }]);
    },
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, HOST, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
