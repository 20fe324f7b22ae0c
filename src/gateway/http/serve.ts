import type { IncomingMessage, ServerResponse } from "node:http";
import type { Page } from "../page/create-page.ts";
import { BROKEN, type Fault, sendFault } from "./fault.ts";
import { type GuardPolicy, isOwnPath, judge } from "./guard.ts";
import type { ReportIncident } from "./incidents.ts";
import type { RequestProxy } from "./proxy.ts";
import { sendContinue } from "./read-body.ts";

export type Serve = (request: IncomingMessage, response: ServerResponse) => void;

export interface ServeOptions {
  readonly policy: GuardPolicy;
  /** Longer targets are refused before they are parsed. */
  readonly maxTargetBytes: number;
  /** Answers requests for the dashboard's files. */
  readonly page: Page;
  /** Answers everything else under `/palimpsest`. */
  readonly api: Serve;
  /** Answers everything else. */
  readonly proxy: RequestProxy;
  readonly report: ReportIncident;
}

/** Creates the handler of all requests: it refuses those that the guard does not let pass, and hands the others to the page, the API or the proxy. */
export function createServe({ policy, maxTargetBytes, page, api, proxy, report }: ServeOptions): Serve {
  function serve(request: IncomingMessage, response: ServerResponse): void {
    const answer = answerOf(request, policy, maxTargetBytes);
    switch (answer.type) {
      case "fault":
        // a client that was refused may not send further requests on the same connection
        response.shouldKeepAlive = false;
        sendFault(request, response, answer.fault);
        return;
      case "greeting":
        greet(response);
        return;
      case "api":
        // the target without the token, if the path had one
        request.url = answer.target;
        sendContinue(request, response);
        if (!page.answer(request, response, answer.target)) api(request, response);
        return;
      case "upstream":
        proxy.forward(request, response, answer.target);
    }
  }

  return (request, response) => {
    try {
      serve(request, response);
    } catch (error) {
      report("serving a request", error);
      sendFault(request, response, BROKEN);
    }
  };
}

type Answer =
  | { readonly type: "fault"; readonly fault: Fault }
  | { readonly type: "greeting" }
  | { readonly type: "api" | "upstream"; readonly target: string };

function answerOf({ url = "", method, headers }: IncomingMessage, policy: GuardPolicy, maxTargetBytes: number): Answer {
  // Node reads a target as Latin-1, so each character is a byte
  if (url.length > maxTargetBytes) return { type: "fault", fault: tooLong(url.length, maxTargetBytes) };
  const verdict = judge({ target: url, headers }, policy);
  if (verdict.type === "refused") return { type: "fault", fault: verdict.fault };
  // other upgrades, such as h2c, are offers that a server may ignore
  if (/\bwebsocket\b/i.test(headers.upgrade ?? "")) return { type: "fault", fault: NO_UPGRADE };
  const { target } = verdict;
  if (isOwnPath(target)) return { type: "api", target };
  return target === "/" && (method === "GET" || method === "HEAD")
    ? { type: "greeting" }
    : { type: "upstream", target };
}

function tooLong(bytes: number, maxTargetBytes: number): Fault {
  const message = `The path and query of the request are ${bytes} bytes long; the gateway takes ${maxTargetBytes}. Shorten them, or raise its limit maxTargetBytes.`;
  return { status: 414, code: "target-too-long", message };
}

const NO_UPGRADE: Fault = {
  status: 501,
  code: "upgrade-unsupported",
  message: "The gateway speaks no WebSocket. Set the agent to HTTP.",
};

function greet(response: ServerResponse): void {
  const body = JSON.stringify({ name: "palimpsest", dashboard: "/palimpsest/", api: "/palimpsest/api" });
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
}
