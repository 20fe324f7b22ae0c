import { once } from "node:events";
import { createServer } from "node:net";

/** A port of this machine that nobody listened at a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("No port is free.");
  return address.port;
}
