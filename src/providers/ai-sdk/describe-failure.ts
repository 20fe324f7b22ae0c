import { readTooLong, type TooLong } from "../../core/policy/too-long.ts";

/** A failed attempt, as far as its error could be interpreted. */
export interface Failure {
  readonly message: string;
  readonly status: number | undefined;
  /** Whether a retry may succeed. */
  readonly isTransient: boolean;
  /** How long the provider asks to wait. */
  readonly retryAfterMs: number | undefined;
  readonly tooLong: TooLong;
}

/** Thrown where a stream ends before the reply is complete. */
export class Interruption extends Error {
  readonly isRetryable = true;
}

/** Interprets an error that a provider package threw, by its fields: the packages' own classes are not loaded here. */
export function describeFailure(error: unknown): Failure {
  const fields: Fields = isFields(error) ? error : {};
  const status = statusOf(fields);
  const isTransient =
    status === undefined ? fields.isRetryable === true : isTransientStatus(status) && fields.isRetryable !== false;
  const headers: Fields = isFields(fields.responseHeaders) ? fields.responseHeaders : {};
  const message = messageOf(error, fields);
  const tooLong = readTooLong({ status, message, body: bodyOf(fields), code: codeOf(fields) });
  return {
    message,
    status,
    // a prompt that is too long stays too long, also where the server reports it as its own fault (5xx)
    isTransient: isTransient && !tooLong.isTooLong,
    retryAfterMs: retryAfterMs(headers),
    tooLong,
  };
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function isTransientStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

// Errors inside a stream have the status as their code, if at all; a stream that broke off still has the status 200.
function statusOf({ statusCode, code }: Fields): number | undefined {
  return [statusCode, code].find(
    (status): status is number => typeof status === "number" && status >= 400 && status < 600,
  );
}

// The body of the server's reply; for an error inside a stream, only the package's own error object is available.
function bodyOf(fields: Fields): unknown {
  return fields.responseBody ?? fields.data ?? { type: fields.type };
}

function codeOf({ code }: Fields): string | undefined {
  return typeof code === "string" ? code : undefined;
}

const LONGEST_BODY = 500;

function messageOf(error: unknown, { message, statusCode, data, responseBody, cause }: Fields): string {
  if (statusCode === 200) return `the connection broke (${rootCause(cause) ?? "no reason given"})`;
  const said = typeof message === "string" ? message : String(error);
  // the package could not parse the body (it has no data): then its message is only the status text
  const hasBody = data === undefined && typeof responseBody === "string" && responseBody.trim() !== "";
  const detail = hasBody ? responseBody.trim().slice(0, LONGEST_BODY) : rootCause(cause);
  return [said, detail].filter((text) => text !== undefined && text !== "").join(": ");
}

function rootCause(cause: unknown): string | undefined {
  let root: Error | undefined;
  for (let next = cause, depth = 0; next instanceof Error && depth < 5; next = next.cause, depth++) root = next;
  return root?.message;
}

function retryAfterMs(headers: Fields): number | undefined {
  const milliseconds = Number(headers["retry-after-ms"] ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const after = headers["retry-after"];
  if (typeof after !== "string") return undefined;
  const seconds = Number(after);
  if (seconds >= 0) return seconds * 1_000;
  // a date is read against the provider's own clock
  const wait = Date.parse(after) - Date.parse(String(headers.date));
  return wait >= 0 ? wait : undefined;
}
