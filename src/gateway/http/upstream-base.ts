import { PalimpsestError } from "../../core/errors.ts";
import type { WireUpstream } from "../../core/ports/wire-adapter.ts";

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
  return { origin: parsed.origin, basePath: parsed.pathname.replace(/(?<!\/)\/+$/, "") };
}

const BASE_VERSION = /\/v\d+(?:[A-Za-z_]\w*)?$/;
const PATH_VERSION = /^\/(upload\/)?v\d+([A-Za-z_]\w*)?(?=[/:]|$)/;

/**
 * The path of a request behind a base. A base means what it means to the API's own client: some put `/chat/completions` behind
 * one that has a path, so a version that the agent says is dropped; others put a version behind it, so that only of two versions one
 * stays. It is the base's, for it may be v4 where every agent says v1; but one with a stage, such as v1beta, is the agent's to choose.
 */
export function joinPath(
  { replacesVersion = false }: Pick<WireUpstream, "replacesVersion">,
  basePath: string,
  path: string,
): string {
  const [whole, upload, stage] = PATH_VERSION.exec(path) ?? [];
  if (whole === undefined || basePath === "") return basePath + path;
  const isStaged = upload !== undefined || stage !== undefined;
  if (replacesVersion) return basePath + (isStaged ? path : path.slice(whole.length));
  if (!BASE_VERSION.test(basePath)) return basePath + path;
  return isStaged ? basePath.replace(BASE_VERSION, "") + path : basePath + path.slice(whole.length);
}
