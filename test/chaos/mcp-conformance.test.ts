/**
 * The official conformance suite of the Model Context Protocol, all of its scenarios for servers, against a gateway that has something hidden. Most of them
 * call tools and prompts that only a server made for the suite has: each check that does not pass must be for want of one of those.
 */
import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { SDK_KINDS } from "../support/gateway-sessions.ts";
import { startWorld } from "../support/gateway-world.ts";
import { installRuntime } from "../support/install-runtime.ts";
import { RECALL_WINDOW, RECALLING, talkUntilHidden } from "../support/recall-talk.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LONGEST_MS = 600_000;
const run = promisify(execFile);

interface Check {
  readonly scenario: string;
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** The newest release knows the protocols of 2025; that of 2026-07-28 is only in what comes next. */
const SUITES = [
  {
    version: "0.1.16",
    choice: ["--suite", "all"],
    passed: ["dns-rebinding-protection", "ping", "resources-list", "server-initialize", "tools-list"],
    partly: {},
  },
  {
    version: "0.2.0-alpha.12",
    choice: ["--requirements", "2026-07-28"],
    passed: [
      "dns-rebinding-protection",
      "http-header-validation",
      "input-required-result-unsupported-methods",
      "input-required-result-validate-input",
      "resources-list",
      "sep-2164-resource-not-found",
      "server-sse-multiple-streams",
      "tools-list",
    ],
    partly: {
      caching: ["sep-2549-prompts-list-caching-hints"],
      "server-stateless": [
        "sep-2575-server-rejects-undeclared-capability",
        "sep-2575-missing-capability-http-400",
        "sep-2575-http-server-no-independent-requests-on-stream",
        "sep-2575-server-no-log-without-loglevel",
      ],
    },
  },
] as const;

/** What a server need not have, by the scenarios that want it and by what they say where it is missing. */
const NOT_OFFERED: readonly { readonly scenario: RegExp; readonly says: RegExp }[] = [
  // Tools and resources of the server that is made for the suite.
  { scenario: /^(tools-call|elicitation|input-required-result)-/, says: /There is no tool test_/ },
  { scenario: /^resources-(read|templates-read)/, says: /Resource not found: test:/ },
  { scenario: /^json-schema-2020-12$/, says: /Tool 'json_schema_2020_12_tool' not found/ },
  { scenario: /^server-stateless$/, says: /^Not testable: server does not list the diagnostic tool 'test_/ },
  {
    scenario: /^http-custom-header-server-validation$/,
    says: /^Not testable: server exposes no tool with x-mcp-header/,
  },
  {
    scenario: /^input-required-result-(multi-round|tampered-state|missing-input-response)$/,
    says: /InputRequiredResult/,
  },
  // Capabilities that we do not declare.
  { scenario: /^(completion|logging|prompts|resources-(un)?subscribe|caching)/, says: /Method not found/ },
  { scenario: /^(tools-call-with-logging|input-required-result-non-tool-request)$/, says: /Method not found/ },
  // An extension, and streams that are gone on with: there are neither sessions nor long streams.
  { scenario: /^tasks-/, says: /./ },
  { scenario: /^server-sse-(polling|multiple-streams)$/, says: /^$|is recommended for/ },
];

function isNotOffered({ scenario, errorMessage = "" }: Check): boolean {
  return NOT_OFFERED.some((want) => want.scenario.test(scenario) && want.says.test(errorMessage));
}

/** What the suite wrote, by scenario: a folder for each, with the time of the run in its name. */
function readChecks(folder: string): readonly Check[] {
  return globSync("*/checks.json", { cwd: folder }).flatMap((path) => {
    const scenario = basename(dirname(path))
      .replace(/^server-/, "")
      .replace(/-\d{4}-\d\d-\d\dT.*$/, "");
    const checks: readonly Omit<Check, "scenario">[] = JSON.parse(readFileSync(join(folder, path), "utf8"));
    return checks.map((check) => ({ ...check, scenario }));
  });
}

const isUnmet = ({ status }: Check) => status === "FAILURE" || status === "WARNING";

describe.each(SUITES)("$version", ({ version, choice, passed, partly }) => {
  const conformance = installRuntime({
    name: "mcp-conformance",
    packageName: "@modelcontextprotocol/conformance",
    version,
    program: ".bin/conformance",
    arguments: [],
  });

  test.skipIf(conformance === undefined)(
    "every check passes that needs no tool or prompt of the suite's own",
    async () => {
      const world = await startWorld({ server: { contextWindow: RECALL_WINDOW }, gateway: RECALLING });
      const [kind = expect.fail()] = SDK_KINDS;
      await talkUntilHidden(kind.open({ url: world.url }), world.server);
      const folder = temporaryFolder();
      const url = `${world.gateway.url}/palimpsest/mcp`;
      // Its exit code says that some did not pass.
      await run(conformance ?? "", ["server", "--url", url, ...choice, "-o", folder], { timeout: LONGEST_MS }).catch(
        (error: { code?: unknown }) => expect(error.code).toBe(1),
      );
      const checks = readChecks(folder);
      const scenarios = [...new Set(checks.map(({ scenario }) => scenario))].sort();
      const of = (name: string) => checks.filter(({ scenario }) => scenario === name);
      const isPassed = (name: string) => !of(name).some(isUnmet) && of(name).some(({ status }) => status === "SUCCESS");
      expect(checks.filter((check) => isUnmet(check) && !isNotOffered(check))).toEqual([]);
      expect(scenarios.filter(isPassed)).toEqual(passed);
      for (const [name, unmet] of Object.entries(partly)) {
        expect(
          of(name)
            .filter(isUnmet)
            .map(({ id }) => id),
        ).toEqual(unmet);
      }
      expect(of("caching").filter(({ status }) => status === "SKIPPED")).toEqual([]);
      expect(world.incidents).toEqual([]);
    },
  );
});
