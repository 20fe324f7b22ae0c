import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

/** A built file of the dashboard, as it is served. */
export interface PageFile {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** The files of the dashboard by their names below `/palimpsest/`; the page itself has the empty name. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Messages are hostile text: nothing that is written into the page can run, and nothing can be sent or asked elsewhere. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

const COMMON_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

/** The name of a built file holds a hash of its content, except that of the page. */
const HASHED_NAME = /^[a-z]+-[0-9a-f]{12}\.(?:js|css|svg)$/;

/** Reads the built dashboard; empty where it was not built. */
export function readPageFiles(folder: string): PageFiles {
  return new Map(
    namesIn(folder).flatMap((name) => {
      const isPage = name === "index.html";
      const type = CONTENT_TYPES[extname(name)];
      if (type === undefined || !(isPage || HASHED_NAME.test(name))) return [];
      const body = readFileSync(join(folder, name));
      const headers = {
        ...COMMON_HEADERS,
        "content-type": type,
        "content-length": String(body.length),
        "cache-control": isPage ? "no-store" : "public, max-age=31536000, immutable",
      };
      return [[isPage ? "" : name, { body, headers }] as const];
    }),
  );
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
