import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";

/** A built file of the dashboard, in the encodings in which it is served. */
export interface PageFile {
  readonly plain: EncodedFile;
  /** The file as the build compressed it with Brotli. @default the build did not compress it */
  readonly brotli: EncodedFile | undefined;
}

export interface EncodedFile {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** The files of the dashboard by their names below `/palimpsest/`. The name of the page itself is empty. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The page shows messages, which are hostile text: the policy forbids scripts in the page and all requests to other servers. */
const contentSecurityPolicy = (styleHashes: readonly string[]) => [
  "default-src 'none'",
  "script-src 'self'",
  ["style-src 'self'", ...styleHashes].join(" "),
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
];

/** The headers of all replies of the page. */
export const COMMON_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
};

/** The names of built files other than the page contain a hash of the content. */
const HASHED_NAME = /^[a-z]+-[0-9a-f]{12}\.(?:js|css|svg)$/;

/** Reads the built dashboard. Returns an empty map if it was not built. */
export function readPageFiles(folder: string): PageFiles {
  const names = new Set(namesIn(folder));
  return new Map(
    [...names].flatMap((name) => {
      const isPage = name === "index.html";
      const type = CONTENT_TYPES[extname(name)];
      if (type === undefined || !(isPage || HASHED_NAME.test(name))) return [];
      const body = readFileSync(join(folder, name));
      const headers = {
        ...COMMON_HEADERS,
        "content-security-policy": contentSecurityPolicy(isPage ? styleHashes(body.toString()) : []).join("; "),
        "content-type": type,
        "cache-control": isPage ? "no-store" : "public, max-age=31536000, immutable",
        vary: "accept-encoding",
      };
      const brotli = names.has(`${name}.br`) ? readFileSync(join(folder, `${name}.br`)) : undefined;
      const file = {
        plain: encoded(body, headers),
        brotli: brotli && encoded(brotli, { ...headers, "content-encoding": "br" }),
      };
      return [[isPage ? "" : name, file] as const];
    }),
  );
}

function encoded(body: Buffer, headers: EncodedFile["headers"]): EncodedFile {
  return { body, headers: { ...headers, "content-length": String(body.length) } };
}

/**
 * Returns the hashes of the page's style sheets, by which the policy allows them. The build writes the style sheet into the page, so that the
 * first paint does not wait for another file.
 */
function styleHashes(page: string): readonly string[] {
  return [...page.matchAll(/<style>([^<]*)<\/style>/g)].map(([, style = ""]) => {
    return `'sha256-${createHash("sha256").update(style).digest("base64")}'`;
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
