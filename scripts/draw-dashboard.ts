/**
 * Draws docs/images/strata.png, Strata of the demo session in a real browser before a real gateway, and docs/images/strata-animated.svg, how it
 * came about, and what the first one was drawn from. `npm run screenshot`
 */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { openBrowser } from "palimpsest-dashboard/open-browser";
import { startGateway } from "../src/gateway/index.ts";
import { memoryStore } from "../src/stores/memory/memory-store.ts";
import { pictureInputs } from "./picture-inputs.ts";
import { drawStrataAnimation, replayDemo } from "./strata-animation.ts";

const PICTURE_PATH = resolve(import.meta.dirname, "../docs/images/strata.png");
const ANIMATION_PATH = resolve(import.meta.dirname, "../docs/images/strata-animated.svg");
const INPUTS_PATH = resolve(import.meta.dirname, "../docs/images/strata.inputs");
const SESSION_ID = "demo";

const opened = await openBrowser();
if (opened.type === "none") throw new Error(`No browser draws the picture: ${opened.why}`);
const store = memoryStore();
const { session } = await replayDemo(store);
writeFileSync(ANIMATION_PATH, await drawStrataAnimation({ session }));
const gateway = await startGateway({ store, port: 0 });
const page = await opened.browser.newPage({ viewport: { width: 1_120, height: 1_000 }, colorScheme: "light" });
await page.goto(`${gateway.url}/palimpsest/#/session/${SESSION_ID}/strata`);
await page.waitForSelector("#strata-cell:has-text('Message')");
// Until the newest tile is drawn: two frames after the last change of the page.
await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
await page.locator("main section.card").screenshot({ path: PICTURE_PATH });
writeFileSync(INPUTS_PATH, `${await pictureInputs({ session })}\n`);
await opened.browser.close();
await gateway.close();
console.log(`${PICTURE_PATH}\n${ANIMATION_PATH}`);
