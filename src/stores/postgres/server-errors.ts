import type { PalimpsestErrorCode } from "../../core/errors.ts";
import type { Target } from "./describe-failure.ts";

export interface DescribedError {
  readonly message: string;
  /** @default "store-failed" */
  readonly code?: PalimpsestErrorCode;
}

/** What PostgreSQL's error codes mean here, and what to do; undefined for those that nothing special is known about. */
export function describeServerError(sqlState: string, target: Target): DescribedError | undefined {
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
