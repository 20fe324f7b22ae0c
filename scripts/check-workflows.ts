/** Fails on a workflow of `.github` that GitHub would refuse, or that no longer runs what it is there for. */
import { globSync, readFileSync } from "node:fs";
import { findWorkflowFaults } from "./workflows/find-workflow-faults.ts";

const manifest: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync("package.json", "utf8"),
);
const paths = globSync(".github/workflows/*.{yml,yaml}").toSorted();
const workflows = paths.map((path) => ({ path, text: readFileSync(path, "utf8") }));
const faults = findWorkflowFaults(workflows, new Set(Object.keys(manifest.scripts)));
for (const fault of faults) console.error(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
