import { PalimpsestError } from "../../core/errors.ts";
import { isPackageMissing } from "../../core/missing-package.ts";

export type Driver = typeof import("pg")["default"];

/** The `pg` package, which is loaded when a store is first used; "missing-package" where it is not installed. */
export async function loadDriver(): Promise<Driver> {
  try {
    return (await import("pg")).default;
  } catch (error) {
    throw isPackageMissing("pg", error)
      ? new PalimpsestError("missing-package", "pg is not installed. Run: npm install pg@8")
      : error;
  }
}
