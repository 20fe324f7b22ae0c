import type { Activity } from "../activity.ts";
import type { Packages } from "./load-packages.ts";
import type { Complain } from "./quiet-export.ts";

/** One kind of telemetry (traces or metrics) that is sent to a collector. */
export interface Signal {
  /** Adds an activity. Takes microseconds, as everything is sent later in batches. */
  take(activity: Activity): void;
  /** Sends everything that is not sent yet, and stops. */
  shutdown(): Promise<void>;
}

/** The values that every signal is created with. */
export interface SignalContext {
  readonly packages: Packages;
  /** The OpenTelemetry resource that describes this service. */
  readonly resource: ReturnType<Packages["resources"]["resourceFromAttributes"]>;
  readonly version: string;
  readonly complain: Complain;
}

/** The name of the instrumentation scope of spans and metrics. */
export const SCOPE = "palimpsest";
