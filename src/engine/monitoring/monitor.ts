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

/** Hears of everything that an engine does, keeps count of it and passes it on. Never throws. */
export interface Monitor {
  started(event: CondensationStart): void;
  succeeded(event: CondensationSuccess): void;
  failed(event: CondensationFailure): void;
  fellBack(event: FallbackToTruncation): void;
  /** A user's code was passed over. */
  fault(fault: PluginFault): void;
  /** The context was looked at: one log line. */
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

/** A monitor with nothing in it yet. */
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
    // A log that is itself at fault is not asked to write that down.
    if (plugin !== LOG) write("error", `fault plugin=${JSON.stringify(plugin)} error=${JSON.stringify(error)}`);
  }

  function write(level: LineLevel, line: string): void {
    notify(() => log?.(line, level), { plugin: LOG, method: "log", onFault: fault });
  }

  function tell(method: TelemetryMethod, send: (telemetry: Telemetry) => unknown): void {
    for (const told of telemetry) notify(() => send(told), { plugin: "telemetry", method, onFault: fault });
  }

  return {
    started: (event) => tell("onCondensationStart", (told) => told.onCondensationStart?.(event)),
    succeeded(event) {
      keep({ ...event, scores: Object.freeze({ ...event.scores }), type: "success", at: now() });
      write("debug", successLine(event));
      tell("onCondensationSuccess", (told) => told.onCondensationSuccess?.(event));
    },
    failed(event) {
      keep({ ...event, type: "failure", at: now() });
      write("error", failureLine(event));
      tell("onCondensationFailure", (told) => told.onCondensationFailure?.(event));
    },
    fellBack(event) {
      keep({ ...event, type: "fallback", at: now() });
      write("warn", fallbackLine(event));
      tell("onFallbackToTruncation", (told) => told.onFallbackToTruncation?.(event));
    },
    fault,
    checked: (check) => write("info", checkLine(check)),
    getMetrics: () => metrics,
    getHistory: () => history.entries(),
  };
}

/** What a fault of the log is kept under. */
const LOG = "log";

function checkedOptions(options: MonitorOptions) {
  assertObject("options", options);
  const { telemetry, now, log, keepEntries = 1_000 } = options;
  assertArray("telemetry", telemetry);
  for (const [index, told] of telemetry.entries())
    assertOptionalMethods(`telemetry[${index}]`, told, TELEMETRY_METHODS);
  assertFunction("now", now);
  if (log !== undefined) assertFunction("log", log);
  const isCount = Number.isSafeInteger(keepEntries) && keepEntries >= 0;
  assert(isCount, "keepEntries", keepEntries, "a whole number of at least 0");
  return { telemetry: [...telemetry], now, log, keepEntries };
}
