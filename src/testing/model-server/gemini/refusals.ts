import { type Refusal, refuse } from "../wire-protocol.ts";

export function unknownName(name: string, place?: string): Refusal {
  const where = place === undefined ? "" : ` at '${place}'`;
  return refuse(`Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`);
}
