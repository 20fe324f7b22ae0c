import { describeError } from "../../core/describe-error.ts";

/** Something that a user's code did wrong, and that was passed over. */
export interface PluginFault {
  /** The name of the condenser or hooks; `resolvers`, `telemetry` or `log` for what has no name. */
  readonly plugin: string;
  /** Which of its functions, and what came of it. */
  readonly error: string;
}

export type OnFault = (fault: PluginFault) => void;

/** Which function of whose is called. */
export interface CallOfOthers {
  readonly plugin: string;
  readonly method: string;
  readonly onFault: OnFault;
}

// Faults are kept in the history: one with a whole log in its message must not be.
const LONGEST_ERROR = 500;

/** Reports what was thrown as a fault of that call. */
export function reportFault(error: unknown, { plugin, method, onFault }: CallOfOthers): void {
  onFault({ plugin, error: `${method}: ${describeError(error).slice(0, LONGEST_ERROR)}` });
}
