/** The dashboard in a real browser, before a live gateway. */
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { openBrowser } from "palimpsest-dashboard/open-browser";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, expect, onTestFinished } from "vitest";

export const browser = await openBrowser();
if (browser.type === "none") {
  console.error(`\nNO BROWSER: THE TESTS OF THE DASHBOARD ARE SKIPPED. ${browser.why}\n`);
}
export const hasBrowser = browser.type === "open";
afterAll(async () => {
  if (browser.type === "open") await browser.browser.close();
});

/** Long enough for a machine that has much else to do. */
const PATIENCE_MS = 120_000;

const SCREENSHOTS = resolve(import.meta.dirname, "../../.setup/screenshots");

export interface OpenedPage {
  readonly page: Page;
  /** What must never happen: errors, dialogs, requests to other places. */
  readonly incidents: readonly string[];
}

/** Opens the dashboard of a gateway; closed after the test. */
export async function openDashboard(
  gatewayUrl: string,
  { hash = "", ...options }: BrowserContextOptions & { readonly hash?: string } = {},
): Promise<OpenedPage> {
  if (browser.type === "none") throw new Error(browser.why);
  const context = await browser.browser.newContext({ viewport: { width: 1_280, height: 900 }, ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const incidents = watchIncidents(page, new URL(gatewayUrl).origin);
  await page.goto(`${gatewayUrl}/palimpsest/${hash}`);
  return { page, incidents };
}

/** Where a page may ask: `origin` alone. */
export function watchIncidents(page: Page, origin: string): readonly string[] {
  const incidents: string[] = [];
  page.on("pageerror", (error) => incidents.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    incidents.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (line) => {
    if (/Content Security Policy|Trusted ?Type/i.test(line.text())) incidents.push(`policy: ${line.text()}`);
  });
  page.on("request", (request) => {
    const { origin: asked, protocol } = new URL(request.url());
    if (asked !== origin && protocol !== "blob:" && protocol !== "file:") incidents.push(`request: ${request.url()}`);
  });
  return incidents;
}

/** Test output for people: what the page looked like. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: resolve(SCREENSHOTS, `${name}.png`), fullPage: true });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong with a page, in a line each. */
export async function findAccessibilityFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  return page.evaluate<string[]>(
    `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 160) + " " + failureSummary)))`,
  );
}

/** Fails where something is wider than the window. */
export async function expectNoOverflow(page: Page): Promise<void> {
  const [content, room] = await page.evaluate<[number, number]>(
    "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
  );
  expect(content).toBeLessThanOrEqual(room);
}

/** The number that an attribute of the grid of Strata holds. */
export async function gridCount(page: Page, attribute: "aria-rowcount" | "aria-colcount"): Promise<number> {
  return Number(await page.locator("[role=treegrid]").getAttribute(attribute));
}

/** The accessible name of what has the focus, as far as buttons, links and headings go; "" where nothing has it. */
export async function focusedName(page: Page): Promise<string> {
  return page.evaluate<string>(
    `(() => {
      const it = document.activeElement;
      return it === document.body ? "" : (it?.getAttribute("aria-label") ?? it?.textContent ?? "");
    })()`,
  );
}

/** Presses Tab until something with this name has the focus; each place on the way must show it. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const isFound = (given: string) => (typeof name === "string" ? given === name : name.test(given));
  const passed: string[] = [];
  for (let steps = 0; steps < 80; steps++) {
    await page.keyboard.press("Tab");
    const given = await focusedName(page);
    // From the end of the page the focus goes to the browser, and from there to the beginning.
    if (given !== "") await expectVisibleFocus(page);
    if (isFound(given)) return;
    passed.push(given);
  }
  expect.fail(`Tab does not lead to ${name}; it leads to ${passed.join(" | ")}`);
}

/** Fails where what has the focus has no outline, or one in the colour of what is behind it. */
export async function expectVisibleFocus(page: Page): Promise<void> {
  const [name, style, width, color, behind] = await page.evaluate<[string, string, number, string, string]>(`(() => {
    const it = document.activeElement;
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(it);
    const behind = getComputedStyle(document.body).backgroundColor;
    return [it.outerHTML.slice(0, 120), outlineStyle, parseFloat(outlineWidth), outlineColor, behind];
  })()`);
  expect([name, style]).not.toEqual([name, "none"]);
  expect([name, width >= 2, color !== behind]).toEqual([name, true, true]);
}
