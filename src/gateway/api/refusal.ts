import { PalimpsestError, type PalimpsestErrorCode } from "../../core/errors.ts";

/** A request that is not answered as asked: a status and a code for programs, a message for people. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    { code, message, headers = {} }: { code: string; message: string; headers?: Readonly<Record<string, string>> },
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** The codes of errors that concern the request, the store or the files. All others are internal, and their messages are not sent. */
const STATUSES: Partial<Record<PalimpsestErrorCode, number>> = {
  "invalid-argument": 400,
  "not-found": 404,
  "unknown-fold": 404,
  conflict: 409,
  "checkpoint-failed": 503,
  "store-failed": 503,
  "store-damaged": 503,
  "store-too-new": 503,
};

/** The refusal that a client gets for something that was thrown; undefined where it is an internal failure. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (!(error instanceof PalimpsestError)) return undefined;
  const status = STATUSES[error.code];
  return status === undefined ? undefined : new Refusal(status, error);
}

/** The error as JSON. */
export function replyWith({ status, code, message, headers }: Refusal): Response {
  return Response.json({ error: { code, message } }, { status, headers });
}

export const INTERNAL = new Refusal(500, {
  code: "internal",
  message: "Something failed inside the gateway. Try again; /palimpsest/api/stats counts such incidents.",
});
