import { assert, assertNumber, assertObject } from "../../core/assert.ts";
import { roundCalibration } from "../../core/tokens/calibration.ts";
import { anchor, learnFirst, type ReportedUsage, reportedPromptTokens } from "../../core/tokens/forecast.ts";
import { measure } from "../../core/tokens/measure-messages.ts";
import { usageDoubt } from "../../core/tokens/plausible-usage.ts";
import { type ProviderUsage, reportedUsage } from "../../core/tokens/provider-usage.ts";
import type { SessionContext } from "./session-context.ts";

/** Whether the calibration was kept. "implausible": no tokenizer can have made the report. "outdated": the session was written to meanwhile. */
export type CalibrationOutcome = "kept" | "implausible" | "outdated";

export interface CalibrateOptions {
  /**
   * When forecasts begin to use it. With "next-message", the view of what was said so far stays as it was decided: a request that is sent again
   * is the same, also after a restart. @default "now"
   */
  readonly from?: "now" | "next-message" | undefined;
  /** Keeps it only if the session still has this version. @default keeps it at any version */
  readonly version?: number | undefined;
}

/** Records in the session's log how its model counts tokens: a ratio, or a report on the view as it is now. */
export async function calibrateSession(
  { ports, live, state }: Pick<SessionContext, "ports" | "live" | "state">,
  known: number | ReportedUsage | ProviderUsage,
  { from = "now", version }: CalibrateOptions,
): Promise<CalibrationOutcome> {
  const { log } = live;
  const { id: modelId } = state.model();
  const currentVersion = log.version();
  if (version !== undefined && version !== currentVersion) return "outdated";
  const start = from === "next-message" ? { from } : {};
  const at = ports.condensation.now();
  if (typeof known === "number") {
    log.record({ type: "calibrated", at, modelId, tokenRatio: known, ...start });
    return "kept";
  }
  const usage = reportedUsage(known);
  const view = log.view();
  const overhead = state.overhead();
  const prompt = { messages: view, overheadTokens: overhead.systemTokens + overhead.toolTokens };
  const promptTokens = reportedPromptTokens(usage) ?? 0;
  if (usageDoubt(promptTokens, prompt) !== undefined) return "implausible";
  const before = state.forecastBy(log.learned(modelId));
  const newMessages = view.slice(before.viewMessages);
  const { countTokens } = live;
  const expected = learnFirst(before.state, promptTokens, measure(newMessages, countTokens));
  const anchored = anchor(expected, usage, { newMessages, countTokens });
  const forecast = { ...anchored, calibration: roundCalibration(anchored.calibration) };
  const event = { type: "anchored", at, modelId, forecast, viewMessages: view.length, ...overhead, ...start } as const;
  return (await log.recordAt(currentVersion, event)) ? "kept" : "outdated";
}

/** Throws "invalid-argument" for a value that is neither a ratio nor a report. */
export function assertCalibration(known: unknown, options: CalibrateOptions): void {
  assertObject("options", options);
  if (options.version !== undefined) assertNumber("options.version", options.version, 0);
  if (typeof known === "object" && known !== null) return;
  assertNumber("tokenRatio", known, 0);
  assert(known !== 0, "tokenRatio", known, "a number above 0");
}
