/**
 * Portkey's gateway as its package starts it, without its page and its log of requests. It knows no option for the address: here it
 * listens on loopback, as ours does.
 */
import { createServer, Server } from "node:net";
import { stayWithParent } from "./child.ts";

const HOST = "127.0.0.1";

const port = await freePort();
const listen = Server.prototype.listen;
Server.prototype.listen = function (this: Server, ...details: unknown[]): Server {
  const onListening = details.find((detail) => typeof detail === "function");
  process.nextTick(() => process.send?.(`http://${HOST}:${port}`));
  return Reflect.apply(listen, this, [port, HOST, onListening]);
};
process.argv.splice(2, process.argv.length, `--port=${port}`, "--headless");
stayWithParent(() => undefined);
// A name in a variable: the package has no types.
const entry = "@portkey-ai/gateway/build/start-server.js";
await import(entry);

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
