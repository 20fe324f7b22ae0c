import { assert, assertArray, assertFunction, assertObject } from "../../core/assert.ts";
import type {
  CondensationFailure,
  CondensationStart,
  CondensationSuccess,
  FallbackToTruncation,
  Telemetry,
} from "../../core/ports/telemetry.ts";
import type { LineLevel } from "../configuration/configuration.ts";
import { assertOptionalMethods } from "../extensions/assert-members.ts";
import { notify } from "../extensions/attempt.ts";
import type { PluginFault } from "../extensions/fault.ts";
import { createHistory, type HistoryEntry } from "./history.ts";
import { type ContextCheck, checkLine, failureLine, fallbackLine, successLine } from "./log-lines.ts";
import { addToMetrics, type Metrics, NO_METRICS } from "./metrics.ts";

/** Receives the events of an engine, counts them, and passes them on to telemetry and log. Never throws. */
export interface Monitor {
  started(event: CondensationStart): void;
  succeeded(event: CondensationSuccess): void;
  failed(event: CondensationFailure): void;
  fellBack(event: FallbackToTruncation): void;
  /** An extension failed, and the engine went on without it. */
  fault(fault: PluginFault): void;
  /** Writes one log line about an assessment of the context. */
  checked(check: ContextCheck): void;
  getMetrics(): Metrics;
  /** The newest entries, oldest first. */
  getHistory(): readonly HistoryEntry[];
}

export interface MonitorOptions {
  readonly telemetry: readonly Telemetry[];
  /** The clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Called with each log line. @default nothing is logged */
  readonly log?: (line: string, level: LineLevel) => void;
  /** How many entries the history keeps. @default 1_000 */
  readonly keepEntries?: number;
}

type TelemetryMethod = keyof Telemetry;

export const TELEMETRY_METHODS: readonly TelemetryMethod[] = [
  "onCondensationStart",
  "onCondensationSuccess",
  "onCondensationFailure",
  "onFallbackToTruncation",
];

export function createMonitor(options: MonitorOptions): Monitor {
  const { telemetry, now, log, keepEntries } = checkedOptions(options);
  const history = createHistory(keepEntries);
  let metrics = NO_METRICS;

  function keep(entry: HistoryEntry): void {
    history.add(Object.freeze(entry));
    metrics = Object.freeze(addToMetrics(metrics, entry));
  }

  function fault({ plugin, error }: PluginFault): void {
    keep({ type: "fault", at: now(), plugin, error });
    // A fault of the log itself is not logged.
    if (plugin !== LOG) write("error", `fault plugin=${JSON.stringify(plugin)} error=${JSON.stringify(error)}`);
  }

  function write(level: LineLevel, line: string): void {
    notify(() => log?.(line, level), { plugin: LOG, method: "log", onFault: fault });
  }

  function emit(method: TelemetryMethod, send: (telemetry: Telemetry) => unknown): void {
    for (const listener of telemetry) notify(() => send(listener), { plugin: "telemetry", method, onFault: fault });
  }

  return {
    started: (event) => emit("onCondensationStart", (listener) => listener.onCondensationStart?.(event)),
    succeeded(event) {
      keep({ ...event, scores: Object.freeze({ ...event.scores }), type: "success", at: now() });
      write("debug", successLine(event));
      emit("onCondensationSuccess", (listener) => listener.onCondensationSuccess?.(event));
    },
    failed(event) {
      keep({ ...event, type: "failure", at: now() });
      write("error", failureLine(event));
      emit("onCondensationFailure", (listener) => listener.onCondensationFailure?.(event));
    },
    fellBack(event) {
      keep({ ...event, type: "fallback", at: now() });
      write("warn", fallbackLine(event));
      emit("onFallbackToTruncation", (listener) => listener.onFallbackToTruncation?.(event));
    },
    fault,
    checked: (check) => write("info", checkLine(check)),
    getMetrics: () => metrics,
    getHistory: () => history.entries(),
  };
}

/** The name under which faults of the log are kept. */
const LOG = "log";

function checkedOptions(options: MonitorOptions) {
  assertObject("options", options);
  const { telemetry, now, log, keepEntries = 1_000 } = options;
  assertArray("telemetry", telemetry);
  for (const [index, listener] of telemetry.entries())
    assertOptionalMethods(`telemetry[${index}]`, listener, TELEMETRY_METHODS);
  assertFunction("now", now);
  if (log !== undefined) assertFunction("log", log);
  const isCount = Number.isSafeInteger(keepEntries) && keepEntries >= 0;
  assert(isCount, "keepEntries", keepEntries, "a whole number of at least 0");
  return { telemetry: [...telemetry], now, log, keepEntries };
}
