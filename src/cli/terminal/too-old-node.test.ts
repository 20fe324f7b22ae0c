import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { tooOldNode } from "./too-old-node.ts";

const root = resolve(import.meta.dirname, "../../..");

test.each(["22.13.0", "22.20.1", "24.0.0", "100.0.0"])("Node %s is new enough", (version) => {
  expect(tooOldNode(version)).toBeUndefined();
});

test.each(["22.12.9", "20.20.2", "18.0.0"])("Node %s is named with what is needed", (version) => {
  const { engines } = JSON.parse(readFileSync(resolve(root, "package.json"), "utf8"));
  const least = String(engines.node).replace(">=", "");
  expect(tooOldNode(version)).toBe(
    `Node ${least} or newer is needed, and this is Node ${version}. Update Node, then run it again.`,
  );
});

test("a command on an old Node says so in one line, also where that Node lacks what newer ones export", async () => {
  // What Node 20 is to the command line: another version, and no compile cache.
  const old = `import { syncBuiltinESMExports } from "node:module";
    import nodeModule from "node:module";
    Object.defineProperty(process.versions, "node", { value: "20.20.2" });
    nodeModule.enableCompileCache = undefined;
    syncBuiltinESMExports();`;
  const preload = `data:text/javascript,${encodeURIComponent(old)}`;
  const main = resolve(root, "src/cli/main.ts");
  const run = promisify(execFile)(process.execPath, ["--import", preload, main, "inspect", "session.jsonl"]);
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: "palimpsest: Node 22.13 or newer is needed, and this is Node 20.20.2. Update Node, then run it again.\n",
  });
});
