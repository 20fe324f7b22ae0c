/** The buttons of Findings, on a live gateway with the SDK of a provider: what they do is seen in the next request upstream. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { findAccessibilityFaults, hasBrowser, keepScreenshot, openDashboard } from "../support/dashboard.ts";
import { openAnthropic } from "../support/gateway-anthropic-client.ts";
import type { SdkClient } from "../support/gateway-client.ts";
import { invalidRequests, toolOutput } from "../support/gateway-script.ts";
import { listSessions } from "../support/gateway-sessions.ts";
import { type GatewayWorld, startWorld } from "../support/gateway-world.ts";

/** One turn in which the model reads a file, and the tool says what is in it. */
async function read(client: SdkClient, { server }: GatewayWorld, path: string, output: string): Promise<void> {
  const call = { id: `call_${server.requests.length}`, name: "read_file", input: { path } };
  server.script({ type: "tool-calls", calls: [call] });
  await client.ask(true);
  client.giveOutputs([output]);
}

async function say(client: SdkClient, { server }: GatewayWorld): Promise<string> {
  server.script({ type: "text", text: "Read." });
  await client.ask(false);
  return server.requests.at(-1)?.rawBody ?? "";
}

async function openFindings(
  world: GatewayWorld,
): Promise<{ readonly page: Page; readonly incidents: readonly string[] }> {
  const [id = ""] = await listSessions(world.gateway.url);
  return openDashboard(world.gateway.url, { hash: `#/session/${encodeURIComponent(id)}/findings` });
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name }).click();
  await page.getByRole("dialog").getByRole("button", { name }).click();
}

describe.skipIf(!hasBrowser)("a button of Findings", () => {
  test("hides the older reads of a file, and the next request upstream has one-line stubs for them", async () => {
    const world = await startWorld();
    const client = openAnthropic({ url: world.url });
    client.say("Read a.ts again and again.");
    for (let turn = 0; turn < 3; turn++) await read(client, world, "src/a.ts", toolOutput("again", turn));
    const before = await say(client, world);
    for (let turn = 0; turn < 3; turn++) expect(before).toContain(JSON.stringify(toolOutput("again", turn)));

    const { page, incidents } = await openFindings(world);
    await page.getByRole("heading", { name: "One file is in the window more than once" }).waitFor();
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await keepScreenshot(page, "findings");
    await page.locator(".names").getByText("src/a.ts").waitFor();
    await press(page, "Hide the older reads");
    await page.getByRole("status").getByText("Done: Hide the older reads.").waitFor();
    await page.getByText("Nothing was found that wastes room or money").waitFor();

    client.say("Go on.");
    const after = await say(client, world);
    for (const turn of [0, 1]) expect(after).not.toContain(JSON.stringify(toolOutput("again", turn)));
    expect(after).toContain(JSON.stringify(toolOutput("again", 2)));
    expect(after.match(/read_file src\/a\.ts: [\d,]+ tokens hidden in fold clear-/g)).toHaveLength(2);
    expect([incidents, world.incidents, invalidRequests(world.server)]).toEqual([[], [], []]);
  });

  test("hides a result that fills a third of the window", async () => {
    const window = 14_000;
    const world = await startWorld({ server: { contextWindow: window }, gateway: { windows: { all: window } } });
    const client = openAnthropic({ url: world.url });
    const large = [1, 2, 3, 4, 5].map((part) => toolOutput("large", part)).join("\n");
    client.say("Read b.ts.");
    await read(client, world, "src/b.ts", large);
    expect(await say(client, world)).toContain(JSON.stringify(large));

    const { page, incidents } = await openFindings(world);
    await page.getByRole("heading", { name: /^One result of read_file fills \d+ % of the window$/ }).waitFor();
    await press(page, "Hide this result");
    await page.getByText("Nothing was found that wastes room or money").waitFor();
    client.say("Go on.");
    const after = await say(client, world);
    expect(after).not.toContain(JSON.stringify(large));
    expect(after).toMatch(/read_file src\/b\.ts: [\d,]+ tokens hidden in fold clear-/);
    expect([incidents, world.incidents, invalidRequests(world.server)]).toEqual([[], [], []]);
  });

  test("shows an instruction again that a fold hides", async () => {
    const world = await startWorld();
    const session = await world.gateway.engine.session("forgetful");
    const task = { id: "task", role: "user", content: "Never touch the invoices." } as const;
    await session.append(
      { ...task, condenseParent: "c1" },
      { role: "assistant", content: "A summary.", isSummary: true, condenseId: "c1" },
      { role: "user", content: "And the logout." },
    );
    const shown = async () => JSON.stringify(await session.view()).includes(task.content);
    expect(await shown()).toBe(false);
    const { page, incidents } = await openFindings(world);
    await page.getByRole("heading", { name: "is no longer visible to the agent" }).waitFor();
    await press(page, "Show it again");
    await page.getByRole("status").getByText("Done: Show it again.").waitFor();
    expect(await shown()).toBe(true);
    expect([incidents, world.incidents]).toEqual([[], []]);
  });

  test("is missing where nothing can be done here, and the reason stands in its place, with the names of tools", async () => {
    const world = await startWorld();
    const client = openAnthropic({ url: world.url });
    for (let turn = 0; turn < 10; turn++) {
      client.say("Go on.");
      await say(client, world);
    }
    const { page } = await openFindings(world);
    await page.getByRole("heading", { name: /never called in 10 requests$/ }).waitFor();
    await page.getByText("Which tools are declared is the agent's own setting").waitFor();
    expect(await page.locator(".names code").count()).toBeGreaterThan(0);
    expect(await page.locator("main button").count()).toBe(0);
    expect(await findAccessibilityFaults(page)).toEqual([]);
  });
});
