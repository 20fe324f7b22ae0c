import { PalimpsestError } from "../../core/errors.ts";

/** A configured upstream. */
export interface UpstreamBase {
  readonly origin: string;
  /** Such as `/api/v1`, or empty. */
  readonly basePath: string;
}

/** Reads a base URL of the configuration; refuses what is none. */
export function readUpstreamBase(name: string, url: string): UpstreamBase {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new PalimpsestError(
      "invalid-configuration",
      `The upstream "${name}" is no URL that starts with http:// or https://; give one such as https://api.example.com/v1.`,
    );
  }
  return { origin: parsed.origin, basePath: parsed.pathname.replace(/\/+$/, "") };
}

const BASE_VERSION = /\/v\d+\w*$/;
const PATH_VERSION = /^\/(upload\/)?(v\d+)(\w*)(?=[/:]|$)/;

/**
 * The path of a request behind a base that may bring a version of its own. Of two versions one stays: the base's, for it may be v4
 * where every client says v1; but one of Gemini's, such as v1beta, is the client's to choose.
 */
export function joinPath(basePath: string, path: string): string {
  const [whole, upload, , stage] = PATH_VERSION.exec(path) ?? [];
  if (whole === undefined || !BASE_VERSION.test(basePath)) return basePath + path;
  if (upload !== undefined || stage !== "") return basePath.replace(BASE_VERSION, "") + path;
  return basePath + path.slice(whole.length);
}
