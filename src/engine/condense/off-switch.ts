import type { ResolvedConfiguration } from "../configuration/configuration.ts";

/** The error of every condensation while condensing is off. */
export const CONDENSING_IS_OFF = 'Condensing is off: strategies.primary is "truncation".';

/** Aborts running condensations when condensing is switched off. */
export interface OffSwitch {
  /** Aborted while, or as soon as, condensing is off. */
  signal(): AbortSignal;
  /** Call it when the configuration has changed. */
  update(): void;
}

export function createOffSwitch(configuration: () => ResolvedConfiguration): OffSwitch {
  let controller = new AbortController();

  function update(): void {
    if (configuration().strategies.primary === "truncation") controller.abort(new Error(CONDENSING_IS_OFF));
    else if (controller.signal.aborted) controller = new AbortController();
  }

  update();
  return { signal: () => controller.signal, update };
}
