import { assertObject } from "../../core/assert.ts";
import { describeError } from "../../core/describe-error.ts";
import type { Message } from "../../core/message/message.ts";
import type { CondensationOptions, CondensationPlugin, CondensationResult } from "../../core/ports/condensation.ts";
import { ownMessages } from "../extensions/own-messages.ts";
import { timerMs, withTimeLimit } from "../time-limit.ts";
import { refuseCondensation } from "./condensation-run.ts";

/** The time that a condenser has besides its model calls. */
const GRACE_MS = 10_000;

/**
 * Runs a condenser, which may be a user's: it may throw, return nonsense or never return. Each of these becomes a result with an error. When the time
 * is over, the condenser's signal is aborted.
 */
export async function runCondenser(
  condenser: CondensationPlugin,
  options: CondensationOptions,
  messages: readonly Message[],
): Promise<CondensationResult> {
  const limitMs = timerMs(options.timeoutMs * Math.max(1, options.maxModelCalls) + GRACE_MS);
  const givenUp = new AbortController();
  const signal = AbortSignal.any([givenUp.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  try {
    signal.throwIfAborted();
    const condensing = condenser.condense(messages, Object.freeze({ ...options, signal }));
    const result: unknown = await withTimeLimit(Promise.race([condensing, rejectedOn(signal)]), limitMs);
    const read = readResult(result, messages);
    return options.signal?.aborted === true
      ? refuseCondensation(messages, { error: ABORTED, costUsd: read.cost, modelCalls: 1 })
      : read;
  } catch (error) {
    const isAborted = options.signal?.aborted === true;
    return refuseCondensation(messages, { error: isAborted ? ABORTED : describeError(error), modelCalls: 1 });
  } finally {
    givenUp.abort();
  }
}

const ABORTED = "The request was aborted.";

function rejectedOn(signal: AbortSignal): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error(ABORTED)));
  });
  aborted.catch(() => undefined);
  return aborted;
}

/** Reads what a condenser returned. Throws where it is no result. */
function readResult(returned: unknown, messages: readonly Message[]): CondensationResult {
  assertObject("what the plugin returned", returned);
  const field = (name: keyof CondensationResult): unknown => Reflect.get(returned, name);
  const amount = (name: "cost" | "modelCalls", fallback: number) => {
    const value = field(name);
    return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : fallback;
  };
  const cost = amount("cost", 0);
  const modelCalls = amount("modelCalls", 1);
  const [error, folded, summary, condenseId] = [
    field("error"),
    field("messages"),
    field("summary"),
    field("condenseId"),
  ];
  if (error !== undefined) return refuseCondensation(messages, { error: String(error), costUsd: cost, modelCalls });
  return {
    // Copied, as the condenser may keep its own object and change it later.
    messages: ownMessages(folded),
    summary: typeof summary === "string" ? summary : "",
    cost,
    modelCalls,
    ...(typeof condenseId === "string" ? { condenseId } : {}),
  };
}
