import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Api } from "../api/client.ts";
import type { Live } from "../api/live.ts";

export interface GatewayContext {
  readonly api: Api;
  readonly live: Live;
}

export const Gateway = createContext<GatewayContext | undefined>(undefined);

export function useGateway(): GatewayContext {
  const found = useContext(Gateway);
  if (found === undefined) throw new Error("This part of the page needs a gateway around it.");
  return found;
}
