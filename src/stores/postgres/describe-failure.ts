import { PalimpsestError, type PalimpsestErrorCode } from "../../core/errors.ts";

/** The server of a failure. Has the password only so that it can be kept out of every message. */
export interface Target {
  readonly address: string;
  readonly user: string;
  readonly database: string;
  readonly password: string | undefined;
}

/** When a failure happened, which decides what is known about a write. */
export type Stage =
  /** Before a connection was made: nothing was sent. */
  | "connecting"
  /** After a statement was sent that changes nothing. */
  | "reading"
  /** After a statement was sent that changes something. */
  | "writing";

/** An error that says how to fix a failure of the driver or of the server; our own errors are returned as they are. */
export function describeFailure(error: unknown, stage: Stage, target: Target): PalimpsestError {
  if (error instanceof PalimpsestError) return error;
  const shown = hidePassword(target);
  const words = shownWords(error, target);
  if (isConnectionLoss(error)) return lostConnection(words, stage, shown);
  const described = isServerError(error) ? describeServerError(error.code, shown) : undefined;
  if (described !== undefined) {
    return new PalimpsestError(described.code ?? "store-failed", `${described.message} (${words})`);
  }
  const act = stage === "connecting" ? "cannot be used" : "failed, and nothing was written";
  return new PalimpsestError("store-failed", `PostgreSQL at ${shown.address} ${act}: ${words}.`);
}

/** An error that PostgreSQL itself sent. */
export function isServerError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && "severity" in error && "code" in error && typeof error.code === "string";
}

/** Whether PostgreSQL rolled a transaction back because of another one, so that it can be retried. */
export function isTransient(error: unknown): boolean {
  return isServerError(error) && (error.code === "40001" || error.code === "40P01");
}

/** Whether the connection broke: it is unknown then whether the running statement took effect. */
export function isConnectionLoss(error: unknown): boolean {
  if (error instanceof PalimpsestError) return false;
  if (isServerError(error)) return /^(?:08...|57P0[1245])$/.test(error.code);
  // the driver throws these for an invalid value, before it sends anything
  return !(error instanceof TypeError || error instanceof RangeError);
}

function lostConnection(words: string, stage: Stage, { address }: Target): PalimpsestError {
  const messages: Record<Stage, string> = {
    connecting:
      `PostgreSQL cannot be reached at ${address} (${words}). ` +
      "Check that it runs there and takes connections, or correct connectionString.",
    reading: `The connection to PostgreSQL at ${address} was lost (${words}). Nothing was changed; try again.`,
    writing:
      `The connection to PostgreSQL at ${address} was lost during a write (${words}). The write may or may not have ` +
      "happened: read the session again before repeating it.",
  };
  return new PalimpsestError("store-failed", messages[stage]);
}

function hidePassword(target: Target): Target {
  const hide = (text: string) => (holdsPassword(text, target) ? "***" : text);
  return { ...target, address: hide(target.address), user: hide(target.user), database: hide(target.database) };
}

function shownWords(error: unknown, target: Target): string {
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  // where several addresses refuse, the error has no message
  const message = error instanceof Error ? error.message : String(error);
  // the detail of other errors may contain messages of a session
  const detail = code === "23505" && error instanceof Error && "detail" in error ? String(error.detail) : "";
  const words = [code, message, detail].filter((part) => part !== "").join(": ");
  return holdsPassword(words, target) ? code || "its words hold the password" : words;
}

function holdsPassword(text: string, { password }: Target): boolean {
  if (password === undefined || password === "") return false;
  return text.includes(password) || text.includes(encodeURIComponent(password));
}

interface DescribedError {
  readonly message: string;
  /** @default "store-failed" */
  readonly code?: PalimpsestErrorCode;
}

/** The description of a PostgreSQL error code, with what to do about it; undefined for codes without one. */
function describeServerError(sqlState: string, target: Target): DescribedError | undefined {
  return Object.hasOwn(DESCRIPTIONS, sqlState) ? DESCRIPTIONS[sqlState]?.(target) : undefined;
}

type Description = (target: Target) => DescribedError;

const refusedUser: Description = ({ address, user }) => ({
  message: `PostgreSQL at ${address} refused the user "${user}". Correct the user or the password in connectionString.`,
});

const tooManyConnections: Description = ({ address }) => ({
  message:
    `PostgreSQL at ${address} has no connection left. Lower maxConnections here, close other clients, or raise ` +
    "max_connections there.",
});

const readOnly: Description = ({ address }) => ({
  message:
    `PostgreSQL at ${address} is read-only, and nothing was written. Point connectionString at the primary server, or ` +
    "turn default_transaction_read_only off.",
});

const timedOut: Description = ({ address }) => ({
  message:
    `PostgreSQL at ${address} stopped the statement before it was done, and nothing was written. Raise statement_timeout ` +
    "or lock_timeout, and look for a transaction that holds its locks for long.",
});

const damaged: Description = ({ address, database }) => ({
  code: "store-damaged",
  message: `PostgreSQL at ${address} found damage in the database "${database}". Restore it from a backup.`,
});

const keptColliding: Description = ({ address }) => ({
  code: "conflict",
  message: `Others kept writing to the same rows of PostgreSQL at ${address}, and nothing was written. Try again.`,
});

const unexpectedRow: Description = ({ address }) => ({
  code: "store-damaged",
  message:
    `PostgreSQL at ${address} already has a record that its session does not count, and nothing was written. Restore the ` +
    "database from a backup, or delete the session.",
});

const DESCRIPTIONS: Readonly<Record<string, Description>> = {
  "28000": refusedUser,
  "28P01": refusedUser,
  "3D000": ({ address, database }) => ({
    message: `PostgreSQL at ${address} has no database "${database}". Create it, or correct connectionString.`,
  }),
  "53300": tooManyConnections,
  "53100": ({ address }) => ({
    message: `The disk of PostgreSQL at ${address} is full, and nothing was written. Make room there, then try again.`,
  }),
  "53200": ({ address }) => ({
    message: `PostgreSQL at ${address} is out of memory, and nothing was written. Give it more, then try again.`,
  }),
  "57P03": ({ address }) => ({
    message: `PostgreSQL at ${address} is starting up or shutting down. Try again in a few seconds.`,
  }),
  "25006": readOnly,
  "42501": ({ user, database }) => ({
    message:
      `The user "${user}" may not do this in the database "${database}". Grant it CREATE on the database for the first ` +
      "start, and all privileges on the schema of the store.",
  }),
  "57014": timedOut,
  "55P03": timedOut,
  "40001": keptColliding,
  "40P01": keptColliding,
  "23505": unexpectedRow,
  XX001: damaged,
  XX002: damaged,
};
