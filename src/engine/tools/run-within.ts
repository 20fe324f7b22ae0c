import { createContext, Script } from "node:vm";

export type LimitedRun<Value> = { readonly type: "done"; readonly value: Value } | { readonly type: "timeout" };

const script = new Script("run()");

/**
 * Runs a synchronous function for at most `timeoutMs`, and stops it then, even in a regular expression that backtracks for ever. Throws what the
 * function throws. State that the function may leave half changed must not be used afterwards.
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
  // Not by instanceof: the error was made in the other context.
  return (
    typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
