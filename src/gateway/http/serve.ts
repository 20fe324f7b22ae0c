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
  /** Longer targets are refused before anything reads them. */
  readonly maxTargetBytes: number;
  /** Answers for the files of the dashboard. */
  readonly page: Page;
  /** Answers everything else under `/palimpsest`. */
  readonly api: Serve;
  /** Answers everything else. */
  readonly proxy: RequestProxy;
  readonly report: ReportIncident;
}

/** Answers requests, or refuses them. */
export function createServe({ policy, maxTargetBytes, page, api, proxy, report }: ServeOptions): Serve {
  function serve(request: IncomingMessage, response: ServerResponse): void {
    const answer = answerOf(request, policy, maxTargetBytes);
    switch (answer.type) {
      case "fault":
        // no further request on the connection of a client that was refused
        response.shouldKeepAlive = false;
        sendFault(request, response, answer.fault);
        return;
      case "greeting":
        greet(response);
        return;
      case "api":
        // without the token, where the path had it
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
  // Node gives a target as Latin-1: a character is a byte
  if (url.length > maxTargetBytes) return { type: "fault", fault: tooLong(url.length, maxTargetBytes) };
  const verdict = judge({ target: url, headers }, policy);
  if (verdict.type === "refused") return { type: "fault", fault: verdict.fault };
  // other upgrades are offers that may be passed over
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
