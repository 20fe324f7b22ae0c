/** `palimpsest inspect FILE --html`: one file that shows a session in any browser, without a server. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { inspectTranscript } from "../../src/cli/inspect/inspect-transcript.ts";
import { writeReport } from "../../src/cli/inspect/report/write-report.ts";
import {
  browser,
  expectNoOverflow,
  findAccessibilityFaults,
  hasBrowser,
  keepScreenshot,
  watchIncidents,
} from "../support/dashboard.ts";
import { hostilePayloads } from "../support/hostile-payloads.ts";
import { assistant, call, log, result, user } from "../support/messages.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const SOURCE = "export const answer = 42; // the line that matters\n".repeat(60);

function report(outputs: readonly string[], contextWindow: number): string {
  const messages = log(
    user("Fix the login."),
    ...outputs.flatMap((output, turn) => [
      assistant(call(`c${turn}`, "Read", { file_path: `/app/${turn}.ts` })),
      user(result(`c${turn}`, output)),
    ]),
  );
  const session = { format: "test", messages, compactions: [], usages: [], problems: [] };
  const html = writeReport(session, inspectTranscript(session, { contextWindow }), { name: "session.jsonl" });
  const path = join(temporaryFolder(), "report.html");
  writeFileSync(path, html);
  return pathToFileURL(path).href;
}

async function openReport(url: string, options: object = {}) {
  if (browser.type === "none") throw new Error(browser.why);
  const context = await browser.browser.newContext({ viewport: { width: 1_280, height: 900 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const incidents = watchIncidents(page, "null");
  await page.goto(url);
  await page.getByRole("treegrid").waitFor();
  return { page, incidents };
}

describe.skipIf(!hasBrowser)("a report", () => {
  test.each([
    ["light", 1_280],
    ["dark", 390],
  ] as const)(
    "shows strata, what fills the session and every message, in %s at %d pixels",
    async (colorScheme, width) => {
      const url = report(
        Array.from({ length: 40 }, (_, turn) => `${turn}\n${SOURCE}`),
        20_000,
      );
      const { page, incidents } = await openReport(url, { colorScheme, viewport: { width, height: 900 } });
      await page.getByRole("heading", { name: "session.jsonl" }).waitFor();
      await page.getByText("Tool results").first().waitFor();
      const grid = page.getByRole("treegrid");
      // The grid is there before the session's data has been read.
      await expect.poll(() => grid.getAttribute("aria-rowcount")).toBe("81");
      expect(await grid.getAttribute("aria-colcount")).toBe("41");
      await grid.press("ArrowDown");
      await grid.press("ArrowDown");
      await grid.press("End");
      await grid.press("Enter");
      const panel = page.getByRole("region", { name: "Message 3", exact: true });
      await panel.waitFor();
      expect(await panel.textContent()).toContain(SOURCE);
      expect(await panel.textContent()).toMatch(/would be (hidden|stand-in)/);
      await expectNoOverflow(page);
      expect(await findAccessibilityFaults(page)).toEqual([]);
      await keepScreenshot(page, `report-${colorScheme}-${width}`);
      expect(incidents).toEqual([]);
    },
  );

  test("of hostile content executes nothing and asks nobody", async () => {
    const { page, incidents } = await openReport(report(hostilePayloads(), 200_000));
    const grid = page.getByRole("treegrid");
    await grid.press("ArrowDown");
    for (let message = 2; message <= 40; message++) {
      await grid.press("Enter");
      await page.getByRole("region", { name: `Message ${message}`, exact: true }).waitFor();
      await expectNoOverflow(page);
      await grid.press("ArrowDown");
    }
    expect([await page.evaluate("window.__executed"), incidents]).toEqual([undefined, []]);
  });
});
