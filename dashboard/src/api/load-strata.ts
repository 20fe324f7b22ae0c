import type { Tile } from "../model/strata-tiles.ts";
import { type Api, sessionPath } from "./client.ts";
import type { Strata } from "./strata-types.ts";

/** Asks a gateway for parts of a session's matrix. */
export function loadFrom(api: Api, sessionId: string): (tile: Omit<Tile, "key">) => Promise<Strata> {
  return ({ fromMessage, toMessage, fromRequest, toRequest }) => {
    const query = { fromMessage, toMessage, fromRequest, toRequest };
    const text = Object.entries(query).map(([name, value]) => `${name}=${value}`);
    return api.get(sessionPath(sessionId, `/strata?${text.join("&")}`));
  };
}
