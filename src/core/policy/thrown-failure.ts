import { describeError } from "../describe-error.ts";
import type { ModelFailure } from "./failure-texts.ts";

/** Reads a failed request from whatever a client or a model handler threw. */
export function thrownFailure(thrown: unknown): ModelFailure {
  const field = (name: string): unknown =>
    typeof thrown === "object" && thrown !== null ? Reflect.get(thrown, name) : undefined;
  const status = [field("status"), field("statusCode")].find((value) => typeof value === "number");
  const code = field("code");
  return {
    message: describeError(thrown),
    ...(typeof status === "number" && { status }),
    ...(typeof code === "string" && { code }),
    body: field("body") ?? field("responseBody") ?? field("error"),
  };
}
