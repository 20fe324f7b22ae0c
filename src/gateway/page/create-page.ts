import type { IncomingMessage, ServerResponse } from "node:http";
import { COMMON_HEADERS, type PageFiles, readPageFiles } from "./page-files.ts";

/** Serves the dashboard's files. They hold no content of sessions: the page gets that from the API. */
export interface Page {
  /** Answers a request. Returns false, and does nothing, if the target is not an address of the dashboard's files. */
  answer(request: IncomingMessage, response: ServerResponse, target: string): boolean;
}

const ROOT = "/palimpsest";

/** Whether a target is an address of the dashboard's files, even if there is no such file. Addresses of the API never are. */
export function isPageTarget(target: string): boolean {
  return /^\/palimpsest(?:\/(?:[\w-]+\.(?:js|css|svg))?)?(?:\?|$)/.test(target);
}

/** Serves the dashboard from the folder that the build writes. The files are read at the first request for one. */
export function createPage(folder: string): Page {
  let read: PageFiles | undefined;
  return {
    answer: (request, response, target) => {
      if (!isPageTarget(target)) return false;
      read ??= readPageFiles(folder);
      const [path = ""] = target.split("?", 1);
      answerFrom(read, { request, response, path });
      return true;
    },
  };
}

interface PageRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
}

function answerFrom(files: PageFiles, { request, response, path }: PageRequest): void {
  const isHead = request.method === "HEAD";
  for (const [name, value] of Object.entries(openerPolicy(request))) response.setHeader(name, value);
  if (request.method !== "GET" && !isHead) {
    sendText(response, 405, "The dashboard's files are only read: GET or HEAD.", { allow: "GET, HEAD" });
    return;
  }
  if (path === ROOT) {
    // A relative address keeps a token in the path, and the prefix of a proxy in front of the gateway.
    sendText(response, 308, "The dashboard is at /palimpsest/.", { location: "palimpsest/" });
    return;
  }
  const file = files.get(path.slice(ROOT.length + 1));
  if (file === undefined) {
    sendText(response, 404, files.has("") ? NO_FILE : NOT_BUILT, {});
    return;
  }
  const { headers, body } = readsBrotli(request) ? (file.brotli ?? file.plain) : file.plain;
  response.writeHead(200, headers);
  response.end(isHead ? undefined : body);
}

/**
 * Returns the header that cuts the page off from a window that opened it. For this header a browser starts another process before it paints
 * anything, so it is left out if the person typed the address or followed a bookmark: then no page has opened this one. Browsers that do not
 * send `sec-fetch-site` get the header. Pages of other sites cannot open the dashboard at all (http/guard.ts).
 */
function openerPolicy({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return headers["sec-fetch-site"] === "none" ? {} : { "cross-origin-opener-policy": "same-origin" };
}

function readsBrotli({ headers }: IncomingMessage): boolean {
  const accepted = String(headers["accept-encoding"] ?? "").split(",");
  return accepted.some((encoding) => {
    const [name = "", quality = ""] = encoding.split(";", 2);
    return name.trim().toLowerCase() === "br" && !/^\s*q=0(?:\.0*)?\s*$/.test(quality);
  });
}

const NO_FILE = "The dashboard has no such file. Load /palimpsest/ again: the gateway may have been updated.";
const NOT_BUILT = "The dashboard was not built. In a clone, run: npm run build";

function sendText(response: ServerResponse, status: number, text: string, headers: Record<string, string>): void {
  response.writeHead(status, {
    ...COMMON_HEADERS,
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    ...headers,
  });
  response.end(`${text}\n`);
}
