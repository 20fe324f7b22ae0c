import { createContext, Script } from "node:vm";

export type LimitedRun<Value> = { readonly type: "done"; readonly value: Value } | { readonly type: "timeout" };

const script = new Script("run()");

/**
 * Runs a function that nothing else can stop, such as a regular expression that backtracks for ever, for at most
 * `timeoutMs`. What it throws is thrown. It must leave nothing half done that is used again.
 */
export function runWithin<Value>(timeoutMs: number, run: () => Value): LimitedRun<Value> {
  let outcome: LimitedRun<Value> = { type: "timeout" };
  const context = createContext({
    run: () => {
      outcome = { type: "done", value: run() };
    },
  });
  try {
    script.runInContext(context, { timeout: timeoutMs });
  } catch (error) {
    if (!isTimeout(error)) throw error;
  }
  return outcome;
}

function isTimeout(error: unknown): boolean {
  // it is no `Error` of ours: it was made in the other context
  return (
    typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
