/** Draws docs/images/strata.png: Strata of the demo session, in a real browser before a real gateway. `npm run screenshot` */
import { resolve } from "node:path";
import { openBrowser } from "palimpsest-dashboard/open-browser";
import { type Replayed, replay } from "../src/cli/demo/replay.ts";
import { demoSession } from "../src/cli/demo/session/demo-session.ts";
import { createEngine } from "../src/engine/create-engine.ts";
import { startGateway } from "../src/gateway/index.ts";
import { memoryStore } from "../src/stores/memory/memory-store.ts";

const PICTURE_PATH = resolve(import.meta.dirname, "../docs/images/strata.png");
const SESSION_ID = "demo";

const opened = await openBrowser();
if (opened.type === "none") throw new Error(`No browser draws the picture: ${opened.why}`);
const store = memoryStore();
const { session } = await replayed();
const engine = createEngine({ model: "claude-sonnet-4-5", store });
(await engine.importSession(await session.export(), { id: SESSION_ID })).close();
const gateway = await startGateway({ store, port: 0 });
const page = await opened.browser.newPage({ viewport: { width: 1_120, height: 860 }, colorScheme: "light" });
await page.goto(`${gateway.url}/palimpsest/#/session/${SESSION_ID}/strata`);
await page.waitForSelector("#strata-cell:has-text('Message')");
// Until the newest tile is drawn: two frames after the last change of the page.
await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
await page.locator("main section.card").screenshot({ path: PICTURE_PATH });
await opened.browser.close();
await gateway.close();
console.log(PICTURE_PATH);

async function replayed(): Promise<Replayed> {
  const steps = replay(demoSession(), { strategy: "ledger", contextWindow: 32_000, maxTokens: 4_000 });
  for (;;) {
    const next = await steps.next();
    if (next.done === true) return next.value;
  }
}
