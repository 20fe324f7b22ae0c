import type { IncomingMessage, ServerResponse } from "node:http";
import { COMMON_HEADERS, type PageFiles, readPageFiles } from "./page-files.ts";

/** Answers requests for the dashboard's own files. They hold no content of sessions: the page asks the API for that. */
export interface Page {
  /** False where the target is none of the page's files. */
  answer(request: IncomingMessage, response: ServerResponse, target: string): boolean;
}

const ROOT = "/palimpsest";

/** Whether a target is an address of the dashboard's files, whatever is built: never one of the API. */
export function isPageTarget(target: string): boolean {
  return /^\/palimpsest(?:\/(?:[\w-]+\.(?:js|css|svg))?)?(?:\?|$)/.test(target);
}

/** Serves the dashboard from the folder that the build writes. The files are read when somebody first asks for one. */
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
  if (request.method !== "GET" && !isHead) {
    sendText(response, 405, "The dashboard's files are only read: GET or HEAD.", { allow: "GET, HEAD" });
    return;
  }
  if (path === ROOT) {
    // Relative, so that a token in the path, or the prefix of a proxy in front of the gateway, stays.
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
