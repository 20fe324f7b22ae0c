import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as startRequest,
} from "node:http";
import { text } from "node:stream/consumers";

/** One request as an agent sent it, before anything of ours saw it, and what it got back. */
export interface RecordedExchange {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Undefined until an answer came. */
  readonly status: number | undefined;
  readonly replyHeaders: IncomingHttpHeaders;
  /** What came of the reply so far. */
  readonly reply: string;
}

type OpenExchange = { -readonly [Name in keyof RecordedExchange]: RecordedExchange[Name] };

/** Tells the model server which exchange a request came from; the gateway passes it on as it does with all headers. */
export const EXCHANGE_HEADER = "x-rig-exchange";

export interface Recorder {
  readonly url: string;
  /** In the order in which they were sent. */
  readonly exchanges: readonly RecordedExchange[];
  close(): Promise<void>;
}

export interface RecorderOptions {
  /** Whether each request says which exchange it is, in EXCHANGE_HEADER. @default false */
  readonly marksExchanges?: boolean;
}

/** Starts a proxy that passes everything on as it comes and remembers it. */
export async function startRecorder(
  targetUrl: string,
  { marksExchanges = false }: RecorderOptions = {},
): Promise<Recorder> {
  const target = new URL(targetUrl);
  const exchanges: OpenExchange[] = [];
  // On a busy machine the usual five seconds are over while a client writes to a connection that it keeps.
  const server = createServer({ keepAliveTimeout: 600_000 }, (incoming, response) => {
    const { method = "", url: path = "/", headers } = incoming;
    const exchange = { method, path, headers, body: "", status: undefined, replyHeaders: {}, reply: "" };
    const index = exchanges.push(exchange) - 1;
    pass(
      { target, exchange, mark: marksExchanges ? { [EXCHANGE_HEADER]: String(index) } : {} },
      incoming,
      response,
    ).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The recorder does not listen on a port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    exchanges,
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function pass(
  {
    target,
    exchange,
    mark,
  }: { readonly target: URL; readonly exchange: OpenExchange; readonly mark: Readonly<Record<string, string>> },
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  exchange.body = await text(incoming);
  const { method, path } = exchange;
  const headers = { ...exchange.headers, host: target.host, ...mark };
  const outgoing = startRequest({ host: target.hostname, port: target.port, method, path, headers });
  response.on("close", () => outgoing.destroy());
  outgoing.end(exchange.body);
  const [answer]: IncomingMessage[] = await once(outgoing, "response");
  if (answer === undefined) throw new Error("There was no answer.");
  exchange.status = answer.statusCode;
  exchange.replyHeaders = answer.headers;
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  // An upstream that cuts its reply ends this loop with an error: the client's is cut then too.
  for await (const piece of answer.setEncoding("utf8")) {
    exchange.reply += piece;
    response.write(piece);
  }
  response.end();
}
