/**
 * The official conformance suite of the Model Context Protocol against a gateway. Most of its scenarios call tools and prompts that only a server made for
 * the suite has; these are all that hold for any server.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { startWorld } from "../support/gateway-world.ts";
import { installRuntime } from "../support/install-runtime.ts";

const SCENARIOS = ["server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"];
const LONGEST_MS = 600_000;

const conformance = installRuntime({
  name: "mcp-conformance",
  packageName: "@modelcontextprotocol/conformance",
  version: "0.1.16",
  program: ".bin/conformance",
  arguments: [],
});
const run = promisify(execFile);

test.skipIf(conformance === undefined).each(SCENARIOS)("%s passes", async (scenario) => {
  const { gateway, incidents } = await startWorld();
  const url = `${gateway.url}/palimpsest/mcp`;
  // Fails by its exit code, too.
  const { stdout, stderr } = await run(conformance ?? "", ["server", "--url", url, "--scenario", scenario], {
    timeout: LONGEST_MS,
  });
  expect(`${stdout}${stderr}`).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/);
  expect(incidents).toEqual([]);
});
