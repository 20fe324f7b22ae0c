import type { LoadTile } from "../strata/strata-source.ts";
import { type Api, sessionPath } from "./client.ts";

/** Asks a gateway for parts of a session's matrix. */
export function loadFrom(api: Api, sessionId: string): LoadTile {
  return ({ expand, ...range }) => {
    const query = { ...range, ...(expand.length === 0 ? {} : { expand: expand.join(",") }) };
    const text = Object.entries(query).map(([name, value]) => `${name}=${value}`);
    return api.get(sessionPath(sessionId, `/strata?${text.join("&")}`));
  };
}
