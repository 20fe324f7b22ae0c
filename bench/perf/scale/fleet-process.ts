/** A gateway over a PostgreSQL that it shares with others; says how much processor time it took when it is asked. */
import { startGateway } from "palimpsest/gateway";
import { postgresStore } from "palimpsest/stores/postgres";
import { stayWithParent } from "../gateway/child.ts";

export interface FleetSettings {
  readonly upstreamUrl: string;
  readonly connectionString: string;
  readonly schema: string;
  readonly windowTokens: number;
}

const { upstreamUrl, connectionString, schema, windowTokens }: FleetSettings = JSON.parse(process.argv[2] ?? "{}");
const store = postgresStore({ connectionString, schema, restartMs: 2_000 });
const gateway = await startGateway({
  port: 0,
  store,
  upstreams: { anthropic: upstreamUrl },
  windows: { all: windowTokens },
});
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.((user + system) / 1_000);
});
stayWithParent(async () => {
  await gateway.close();
  await store.close();
});
process.send?.(gateway.url);
