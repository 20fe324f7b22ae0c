import type { ResolvedConfiguration } from "../configuration/configuration.ts";

/** Why nothing is condensed, by whomever it is asked for. */
export const CONDENSING_IS_OFF = 'Condensing is off: strategies.primary is "truncation".';

/** Ends what is under way when condensing is switched off: off means off. */
export interface OffSwitch {
  /** Aborted while, or as soon as, condensing is off. */
  signal(): AbortSignal;
  /** To be called when the configuration has changed. */
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
