import { describeError } from "../../core/describe-error.ts";
import { asName, fieldAt } from "../../core/json/read-json.ts";
import { readTooLong, type TooLong } from "../../core/policy/too-long.ts";

/** Whether the model's server refused a prompt as too long: read from the error of its client, which an SDK may have wrapped. */
export function readRefusal(thrown: unknown): TooLong {
  const own = readError(thrown);
  return own.isTooLong ? own : readError(fieldAt(thrown, "cause"));
}

function readError(error: unknown): TooLong {
  const status = fieldAt(error, "status");
  const code = asName(fieldAt(error, "code"));
  return readTooLong({
    message: describeError(error),
    ...(typeof status === "number" && { status }),
    ...(code !== undefined && { code }),
    body: fieldAt(error, "error"),
  });
}
