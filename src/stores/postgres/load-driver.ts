import { PalimpsestError } from "../../core/errors.ts";

export type Driver = typeof import("pg")["default"];

/** The `pg` package, which is loaded when a store is first used; "missing-package" where it is not installed. */
export async function loadDriver(): Promise<Driver> {
  try {
    return (await import("pg")).default;
  } catch (error) {
    throw isAbsent(error)
      ? new PalimpsestError("missing-package", "pg is not installed. Run: npm install pg@8")
      : error;
  }
}

function isAbsent(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    error.code === "ERR_MODULE_NOT_FOUND" &&
    // a package that is there but lacks one of its own is broken, not missing
    error.message.includes("'pg'")
  );
}
