/** `npm run bench`, or `npm run bench -- tokens` for one of them. */
import { benchBill } from "../bill/bench-bill.ts";
import { benchCheckpoints } from "./checkpoints.ts";
import { benchDashboard } from "./dashboard/bench-dashboard.ts";
import { benchEngine } from "./engine.ts";
import { benchForecast } from "./forecast.ts";
import { benchGateway } from "./gateway/bench-gateway.ts";
import { benchLayers } from "./layers.ts";
import { benchLedger } from "./ledger.ts";
import { benchRecall } from "./recall.ts";
import { benchRequests } from "./requests.ts";
import { benchSession } from "./session.ts";
import { benchStores } from "./stores.ts";
import { benchTokens } from "./tokens.ts";

const BENCHES = {
  tokens: benchTokens,
  session: benchSession,
  engine: benchEngine,
  stores: benchStores,
  ledger: benchLedger,
  recall: benchRecall,
  forecast: benchForecast,
  layers: benchLayers,
  checkpoints: benchCheckpoints,
  gateway: benchGateway,
  bill: benchBill,
  requests: benchRequests,
  dashboard: benchDashboard,
};

// What begins with dashes is for the bench itself.
const wanted = process.argv.slice(2).filter((name) => !name.startsWith("--"));
const unknown = wanted.filter((name) => !Object.hasOwn(BENCHES, name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(", ")}; there are ${Object.keys(BENCHES).join(", ")}.`);
  process.exit(2);
}
for (const [name, bench] of Object.entries(BENCHES)) {
  if (wanted.length === 0 || wanted.includes(name)) await bench();
}
