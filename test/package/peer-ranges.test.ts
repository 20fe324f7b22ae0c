/** What `npm run test:install` tries with the registry, as far as the manifest alone decides it: npm refuses nobody's packages because of us. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const repository = resolve(import.meta.dirname, "../..");
const readManifest = (path: string) => JSON.parse(readFileSync(join(repository, path, "package.json"), "utf8"));
const manifest: {
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional?: boolean }>>;
} = readManifest(".");

/** The least version that a range of ours takes, part by part. */
function leastOf(range: string): readonly number[] {
  return range === "*" ? [] : range.slice(">=".length).split(".").map(Number);
}

function isTaken(version: string, range: string): boolean {
  const parts = version.split(".").map(Number);
  for (const [index, least] of leastOf(range).entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

describe.each(Object.entries(manifest.peerDependencies))("%s %s", (name, range) => {
  test("is optional, and open at the top", () => {
    expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true });
    expect(range).toMatch(/^(?:\*|>=\d+(?:\.\d+)*)$/);
  });
});

/** The neighbours that must not break: by what is installed here, and by what stands in old projects. */
const installed = (folder: string): string => readManifest(`node_modules/${folder}`).version;

test.each([
  ["ai", installed("ai-5")],
  ["ai", installed("ai-6")],
  ["ai", installed("ai")],
  ["@ai-sdk/anthropic", installed("ai-sdk-5-anthropic")],
  ["@ai-sdk/anthropic", installed("ai-sdk-6-anthropic")],
  ["@ai-sdk/openai", installed("ai-sdk-5-openai")],
  ["@opentelemetry/exporter-trace-otlp-http", "0.52.1"],
  ["@opentelemetry/exporter-trace-otlp-http", installed("@opentelemetry/exporter-trace-otlp-http")],
  ["@opentelemetry/sdk-trace-base", "1.25.1"],
  // Our code takes version 2 alone, and says so when telemetry starts; but a range of >=2 makes npm refuse to install beside exporters that bring 1.
  ["@opentelemetry/resources", "1.25.1"],
  ["ajv", "6.12.6"],
])("%s %s stands beside us", (name, version) => {
  expect(isTaken(version, manifest.peerDependencies[name] ?? expect.fail())).toBe(true);
});
