import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { PalimpsestError } from "../../core/errors.ts";
import { isPageTarget } from "../page/create-page.ts";
import type { Fault } from "./fault.ts";
import { isLoopback, readAuthority } from "./loopback.ts";

export interface GuardPolicy {
  /** The host that the server listens on. */
  readonly host: string;
  readonly port: number;
  /** @default requests need no token */
  readonly token?: string | undefined;
}

export interface GuardedRequest {
  /** The target of the request line, unchanged. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
}

export type Verdict =
  /** `target` is the path and query, without the authority and the prefix with the gateway's token. */
  { readonly type: "allowed"; readonly target: string } | { readonly type: "refused"; readonly fault: Fault };

const SHORTEST_TOKEN = 16;
const TOKEN_PREFIX = /^\/palimpsest-token\/([^/?]*)/;

/** Throws if the token is too short, or if other machines could reach the gateway without a token. */
export function assertSafeBinding({ host, token }: Omit<GuardPolicy, "port">): void {
  if (token !== undefined && token.length < SHORTEST_TOKEN) {
    throw new PalimpsestError(
      "invalid-configuration",
      `The gateway's token has ${token.length} characters; it needs at least ${SHORTEST_TOKEN}.`,
    );
  }
  if (token === undefined && !isLoopback(host)) {
    throw new PalimpsestError(
      "invalid-configuration",
      `The gateway would listen on ${JSON.stringify(host)}, where other machines reach it. Set a token, or listen on 127.0.0.1.`,
    );
  }
}

/** Decides whether a request may pass: it must address this gateway, come from no other site's page, and bring the token if there is one. */
export function judge(request: GuardedRequest, policy: GuardPolicy): Verdict {
  const target = readTarget(request.target);
  if (target === undefined) return refuse(400, "invalid-target", "Ask for a path, such as /v1/messages.");
  const { headers } = request;
  const hosts = [headers.host ?? "", ...(target.authority === undefined ? [] : [target.authority])];
  if (policy.token === undefined && !hosts.every((host) => isOurs(host, policy))) {
    return refuse(
      403,
      "forbidden-host",
      `Address the gateway as 127.0.0.1:${policy.port} or localhost:${policy.port}.`,
    );
  }
  if (isFromOtherSite(headers, policy)) {
    return refuse(403, "forbidden-origin", "Pages of other sites may not use this gateway.");
  }
  const [prefix = "", inPath] = TOKEN_PREFIX.exec(target.path) ?? [];
  const path = target.path.slice(prefix.length);
  const stripped = path.startsWith("/") ? path : `/${path}`;
  // The dashboard's files hold nothing secret, and the page that asks for the token is one of them.
  const isOpen = policy.token === undefined || isPageTarget(stripped);
  if (!isOpen && !tokensOf(headers, stripped, inPath).some((token) => isSame(token, policy.token))) {
    return refuse(
      401,
      "unauthorized",
      "Bring the gateway's token as the header x-palimpsest-token, or put /palimpsest-token/<token> before the path of the base URL.",
    );
  }
  return { type: "allowed", target: stripped };
}

function refuse(status: number, code: Fault["code"], message: string): Verdict {
  return { type: "refused", fault: { status, code, message } };
}

/** Whether a path belongs to the gateway's own pages and API, which are under `/palimpsest`. */
export function isOwnPath(path: string): boolean {
  return /^\/palimpsest(?:[/?]|$)/.test(path);
}

// Clients that take the gateway for an HTTP proxy send a whole URL as target. `judge` checks its authority like a host header.
function readTarget(target: string): { readonly path: string; readonly authority: string | undefined } | undefined {
  if (target.startsWith("/")) return { path: target, authority: undefined };
  const [, authority, path = ""] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target) ?? [];
  if (authority === undefined) return undefined;
  return { path: path.startsWith("/") ? path : `/${path}`, authority };
}

function isOurs(authority: string, { host, port }: GuardPolicy): boolean {
  const addressed = readAuthority(authority);
  return addressed?.port === port && (isLoopback(addressed.host) || addressed.host === host.toLowerCase());
}

function isFromOtherSite(headers: IncomingHttpHeaders, { token }: GuardPolicy): boolean {
  if (headers["sec-fetch-site"] === "cross-site") return true;
  const { origin, host = "" } = headers;
  if (origin === undefined) return false;
  const ownOrigins = [`http://${host}`, ...(token === undefined ? [] : [`https://${host}`])];
  return !ownOrigins.some((own) => own.toLowerCase() === origin.toLowerCase());
}

function tokensOf(headers: IncomingHttpHeaders, path: string, inPath: string | undefined): readonly string[] {
  const header = headers["x-palimpsest-token"];
  // in requests that are forwarded, this header holds the provider's key
  const [, bearer] = (isOwnPath(path) && /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")) || [];
  return [typeof header === "string" ? header : "", bearer ?? "", inPath === undefined ? "" : decoded(inPath)];
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

// Hashed, because a comparison in constant time needs values of equal length.
function isSame(given: string, expected = ""): boolean {
  return given !== "" && timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
