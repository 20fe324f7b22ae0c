import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

test("without the packages nothing is loaded until it is configured, and then what to install is named", () => {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-telemetry-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const src = resolve(import.meta.dirname, "../..");
  for (const part of ["core", "adapters", "gateway/telemetry", "gateway/activity.ts", "gateway/prompt-tokens-of.ts"]) {
    cpSync(join(src, part), join(folder, "src", part), { recursive: true });
  }
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "ask.ts"),
    `import { createActivityFeed } from "./src/gateway/activity.ts";
     import { startTelemetry } from "./src/gateway/telemetry/start-telemetry.ts";
     const start = (environment) => startTelemetry({ feed: createActivityFeed(), environment, version: "1.2.3" });
     console.log(await start({}));
     await start({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" })
       .catch((error) => console.log(error.code, error.message));`,
  );
  const output = execFileSync(process.execPath, [join(folder, "ask.ts")], { encoding: "utf8" });
  const [unconfigured, configured] = output.trim().split("\n");
  expect(unconfigured).toBe("undefined");
  expect(configured).toBe(
    "missing-package OpenTelemetry is configured, but @opentelemetry/api is not installed. Run: npm install " +
      "@opentelemetry/api@1.9 @opentelemetry/resources@2 @opentelemetry/sdk-trace-base@2 @opentelemetry/sdk-metrics@2 " +
      "@opentelemetry/exporter-trace-otlp-http@0.223 @opentelemetry/exporter-metrics-otlp-http@0.223",
  );
});
