import type { Activity } from "../activity.ts";
import type { Packages } from "./load-packages.ts";
import type { Complain } from "./quiet-export.ts";

/** One kind of telemetry, on its way to a collector. */
export interface Signal {
  /** Costs microseconds: what it makes of an activity is sent later. */
  take(activity: Activity): void;
  /** Sends what is left. */
  shutdown(): Promise<void>;
}

/** What every signal is made with. */
export interface SignalContext {
  readonly packages: Packages;
  /** Who sends it. */
  readonly resource: ReturnType<Packages["resources"]["resourceFromAttributes"]>;
  readonly version: string;
  readonly complain: Complain;
}

/** Under which name spans and metrics are made. */
export const SCOPE = "palimpsest";
