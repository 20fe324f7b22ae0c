import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

// It imports its schema as bundlers do, without saying that it is JSON, which Node refuses.
const hooks = registerHooks({
  load(url, context, next) {
    if (!/\/@actions\/workflow-parser\/.*\.json$/.test(url)) return next(url, context);
    const source = `export default ${readFileSync(fileURLToPath(url), "utf8")}`;
    return { format: "module", source, shortCircuit: true };
  },
});
const { NoOperationTraceWriter, parseWorkflow } = await import("@actions/workflow-parser");
hooks.deregister();

/** What GitHub's own parser says against a workflow: broken YAML, unknown keys and events, wrong values and expressions. */
export function parserFaults(path: string, text: string): readonly string[] {
  const { context } = parseWorkflow({ name: path, content: text }, new NoOperationTraceWriter());
  return context.errors.getErrors().map(({ message }) => message);
}
