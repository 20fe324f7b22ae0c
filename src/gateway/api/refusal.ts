import { PalimpsestError, type PalimpsestErrorCode } from "../../core/errors.ts";

/** Thrown to refuse a request: has a status and a code for programs, and a message for people, all of which are sent. */
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

/** The statuses of errors that concern the request, the store or the files. Other errors are internal, and their messages are not sent. */
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

/** Returns the refusal that a client gets for a thrown error; undefined if it is an internal failure. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (!(error instanceof PalimpsestError)) return undefined;
  const status = STATUSES[error.code];
  return status === undefined ? undefined : new Refusal(status, error);
}

/** Makes a reply of a refusal, with its code and message as JSON. */
export function replyWith({ status, code, message, headers }: Refusal): Response {
  return Response.json({ error: { code, message } }, { status, headers });
}

export const INTERNAL = new Refusal(500, {
  code: "internal",
  message: "Something failed inside the gateway. Try again; /palimpsest/api/stats counts such incidents.",
});
