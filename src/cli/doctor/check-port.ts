import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { createServer, isIP } from "node:net";
import { text } from "node:stream/consumers";
import { parseJson } from "../../core/json/parse-json.ts";
import { isRecord } from "../../core/json/read-json.ts";
import { DEFAULT_HOST } from "../../gateway/defaults.ts";
import { authorityOf, isLoopback } from "../../gateway/http/loopback.ts";
import type { Finding } from "./finding.ts";

const CHECK = "port";
// A program that listens and does not answer is no gateway.
const ANSWER_TIMEOUT_MS = 3_000;

/** Whether `up` can listen on this address, or which gateway does already. */
export async function checkPort(host: string, port: number): Promise<Finding> {
  const address = authorityOf(host, port);
  if (isIP(host) === 0 && !isLoopback(host)) {
    const fix = "up asks for its address when it starts.";
    return { check: CHECK, result: "note", text: `${address} was not tried: a name may be of another machine. ${fix}` };
  }
  const refusal = await listenOnce(host, port);
  if (refusal === undefined) return { check: CHECK, result: "ok", text: `${address} is free` };
  if (refusal === "EADDRINUSE") return findingOf(await askGateway(host, port), address);
  const fix = "Name another by --port, or host in the file.";
  return { check: CHECK, result: "fault", text: `up cannot listen on ${address} (${refusal}). ${fix}` };
}

/** Listens for a moment. The error's code if that failed. */
async function listenOnce(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, "listening");
  } catch (error) {
    return error instanceof Error && "code" in error ? String(error.code) : String(error);
  }
  server.close();
  await once(server, "close");
  return undefined;
}

/** What has a port that is in use. */
type Listener =
  | { readonly type: "gateway"; readonly version: string; readonly store: string }
  /** A gateway that answers only those who bring its token. */
  | { readonly type: "closed-gateway" }
  | { readonly type: "other" };

async function askGateway(host: string, port: number): Promise<Listener> {
  // An address that is in use is one of this machine: the request does not leave it.
  const asked = host === "0.0.0.0" || host === "::" ? DEFAULT_HOST : host;
  const url = `http://${authorityOf(asked, port)}/palimpsest/api/health`;
  try {
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
    // An agent of its own: the global one may go through a proxy that the environment names. No token is sent to a program that may be another.
    const [response]: IncomingMessage[] = await once(get(url, { agent: false, signal }), "response");
    if (response === undefined) return { type: "other" };
    const body = await text(response);
    if (response.statusCode === 401 && body.includes("x-palimpsest-token")) return { type: "closed-gateway" };
    const health = parseJson(body);
    if (!isRecord(health) || typeof health.version !== "string" || typeof health.store !== "string") {
      return { type: "other" };
    }
    return { type: "gateway", version: health.version, store: health.store };
  } catch {
    return { type: "other" };
  }
}

function findingOf(listener: Listener, address: string): Finding {
  switch (listener.type) {
    case "gateway": {
      const what = `a gateway (${listener.version}) answers at http://${address}`;
      if (listener.store === "ok") return { check: CHECK, result: "ok", text: what };
      return { check: CHECK, result: "fault", text: `${what}, and its store cannot be asked. Look at its log.` };
    }
    case "closed-gateway":
      return { check: CHECK, result: "ok", text: `a gateway that asks for its token answers at http://${address}` };
    case "other":
      return {
        check: CHECK,
        result: "fault",
        text: `another program listens on ${address}. End it, or pass --port N to up (0 takes any that is free).`,
      };
  }
}
