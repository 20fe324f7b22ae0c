/** `npm run bench`, or `npm run bench -- tokens` for one of them. */
import { benchBill } from "../bill/bench-bill.ts";
import { benchCheckpoints } from "./checkpoints.ts";
import { benchColdStart } from "./cold-start.ts";
import { benchDashboard } from "./dashboard/bench-dashboard.ts";
import { benchEngine } from "./engine.ts";
import { benchFold } from "./fold.ts";
import { benchForecast } from "./forecast.ts";
import { benchGateway } from "./gateway/bench-gateway.ts";
import { benchLayers } from "./layers.ts";
import { benchLedger } from "./ledger.ts";
import { benchRecall } from "./recall.ts";
import { benchRequests } from "./requests.ts";
import { benchScale } from "./scale.ts";
import { benchSession } from "./session.ts";
import { benchStores } from "./stores.ts";
import { benchTokens } from "./tokens.ts";

const BENCHES = {
  tokens: benchTokens,
  session: benchSession,
  engine: benchEngine,
  stores: benchStores,
  ledger: benchLedger,
  fold: benchFold,
  recall: benchRecall,
  forecast: benchForecast,
  layers: benchLayers,
  checkpoints: benchCheckpoints,
  gateway: benchGateway,
  "cold-start": benchColdStart,
  bill: benchBill,
  requests: benchRequests,
  dashboard: benchDashboard,
  scale: benchScale,
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
