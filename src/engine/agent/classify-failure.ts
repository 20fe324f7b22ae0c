import { describeError } from "../../core/describe-error.ts";
import { PalimpsestError } from "../../core/errors.ts";
import { thrownFailure } from "../../core/policy/thrown-failure.ts";
import { readTooLong, type TooLong } from "../../core/policy/too-long.ts";
import { HandlerFailure } from "./read-turn.ts";
import type { FailureCause } from "./task-result.ts";

/** An error that stopped a task. */
export interface TaskFailure {
  readonly cause: FailureCause;
  readonly error: string;
  readonly tooLong: TooLong;
  /** How long the provider asks to wait. */
  readonly retryAfterMs: number | undefined;
}

const NOT_TOO_LONG: TooLong = { isTooLong: false };

/** Classifies an error by its code and, for a model's failure, by the provider's error. */
export function classifyFailure(error: unknown, signal: AbortSignal | undefined): TaskFailure {
  const other = { error: describeError(error), tooLong: NOT_TOO_LONG, retryAfterMs: undefined };
  if (signal?.aborted === true) return { ...other, cause: "aborted" };
  if (!(error instanceof PalimpsestError)) return { ...other, cause: "other" };
  switch (error.code) {
    case "cannot-fit":
      return { ...other, cause: "cannot-fit" };
    case "store-failed":
    case "conflict":
    case "checkpoint-failed":
      return { ...other, cause: "store" };
    case "model-failed":
      return { ...other, ...modelFailure(error instanceof HandlerFailure ? error.cause : error) };
    default:
      return { ...other, cause: "other" };
  }
}

function modelFailure(thrown: unknown): Pick<TaskFailure, "cause" | "tooLong" | "retryAfterMs"> {
  const field = (name: string): unknown =>
    typeof thrown === "object" && thrown !== null ? Reflect.get(thrown, name) : undefined;
  const failure = thrownFailure(thrown);
  const tooLong = readTooLong(failure);
  if (tooLong.isTooLong) return { cause: "too-long", tooLong, retryAfterMs: undefined };
  const wait = field("retryAfterMs");
  const retryAfterMs = typeof wait === "number" && wait >= 0 ? wait : undefined;
  const isTransient = field("isTransient") === true || isTransientStatus(failure.status);
  return { cause: isTransient ? "model" : "other", tooLong, retryAfterMs };
}

/** Whether a later request may succeed: there was no answer, a timeout, too many requests, or an error of the server. */
function isTransientStatus(status: unknown): boolean {
  return typeof status !== "number" || status === 408 || status === 409 || status === 429 || status >= 500;
}
