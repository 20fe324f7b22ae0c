/** Real gateways behind a plain load balancer, on one PostgreSQL. */
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { type PalimpsestProcess, startPalimpsest, unhurried } from "../support/palimpsest-process.ts";

export interface FleetOptions {
  readonly gateways: number;
  readonly upstream: string;
  readonly connectionString: string;
  readonly windowTokens: number;
}

export interface Fleet {
  /** Of the load balancer. */
  readonly url: string;
  /** Ends a gateway at once (SIGKILL), and starts another at the same port. */
  kill(index: number): Promise<void>;
  /** Ends all gateways in good order: what they hold is written. */
  stop(): Promise<void>;
}

interface Started {
  readonly process: PalimpsestProcess;
  readonly port: number;
}

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const count = options.gateways;
  const gateways = await Promise.all(Array.from({ length: count }, () => startOne(options, 0)));
  const balancer = await startBalancer(() => gateways.map(({ port }) => port));
  onTestFinished(async () => {
    balancer.close();
    for (const { process } of gateways) process.kill("SIGKILL");
    await Promise.all(gateways.map(({ process }) => process.ended));
  });
  return {
    url: balancer.url,
    kill: async (index) => {
      const killed = gateways[index];
      if (killed === undefined) throw new Error(`There is no gateway ${index}.`);
      killed.process.kill("SIGKILL");
      await killed.process.ended;
      gateways[index] = await startOne(options, killed.port);
    },
    stop: async () => {
      for (const { process } of gateways) process.kill("SIGTERM");
      await Promise.all(gateways.map(({ process }) => process.ended));
    },
  };
}

async function startOne({ upstream, connectionString, windowTokens }: FleetOptions, port: number): Promise<Started> {
  const process = startPalimpsest(
    // marks for caches move from request to request: without them what is shown can be compared byte for byte
    [
      ...["up", "--json", "--upstream", upstream, "--store", connectionString, "--port", String(port)],
      ...["--window", String(windowTokens), "--cache-breakpoints", "off", ...unhurried({ storeRestartMs: RESTART_MS })],
    ],
    { PALIMPSEST_TOKEN: "" },
  );
  const facts: { readonly url: string } = JSON.parse(await process.shows(/^\{.*\}\n/));
  return { process, port: Number(new URL(facts.url).port) };
}

/** How long a restart takes on a busy machine must not decide what becomes of a session. */
const RESTART_MS = 300_000;

/** One request to each in turn. One that does not listen is passed over; a request that breaks off breaks off for the client too. */
async function startBalancer(ports: () => readonly number[]) {
  let turn = 0;
  const server = createServer((incoming, outgoing) => {
    turn += 1;
    readBody(incoming).then(
      (body) => forward({ incoming, outgoing, body }, rotated(ports(), turn)),
      () => outgoing.destroy(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function rotated(ports: readonly number[], turn: number): readonly number[] {
  const at = turn % ports.length;
  return [...ports.slice(at), ...ports.slice(0, at)];
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return Buffer.concat(chunks);
}

interface Forwarded {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: Buffer;
}

function forward(forwarded: Forwarded, [port, ...others]: readonly number[]): void {
  const { incoming, outgoing, body } = forwarded;
  if (port === undefined) return void outgoing.destroy();
  const { method, url: path, headers } = incoming;
  const asked = request({ host: "127.0.0.1", port, method, path, headers: { ...headers, host: `127.0.0.1:${port}` } });
  asked.on("response", (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
    response.pipe(outgoing);
    response.on("error", () => outgoing.destroy());
    response.on("aborted", () => outgoing.destroy());
  });
  asked.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "ECONNREFUSED" && !outgoing.headersSent) forward(forwarded, others);
    else outgoing.destroy();
  });
  asked.end(body);
}
