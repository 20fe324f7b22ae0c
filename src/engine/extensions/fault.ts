import { describeError } from "../../core/describe-error.ts";

/** An error of an extension, after which the engine went on without it. */
export interface PluginFault {
  /** The name of the condenser or hooks; for extensions without a name `resolvers`, `telemetry` or `log`. */
  readonly plugin: string;
  /** The function that failed, and its error. */
  readonly error: string;
}

export type OnFault = (fault: PluginFault) => void;

/** A call of an extension's function. */
export interface ExtensionCall {
  readonly plugin: string;
  readonly method: string;
  readonly onFault: OnFault;
}

// Faults are kept in the history, and an error text may hold a whole log.
const LONGEST_ERROR = 500;

/** Reports an error as a fault of that call. */
export function reportFault(error: unknown, { plugin, method, onFault }: ExtensionCall): void {
  onFault({ plugin, error: `${method}: ${describeError(error).slice(0, LONGEST_ERROR)}` });
}
