import { PalimpsestError } from "../../core/errors.ts";

/** The error to show where an import failed because the user has not installed the package; undefined for other failures. */
export function missingPackage(packageName: string, error: unknown): PalimpsestError | undefined {
  const isAbsent =
    error instanceof Error &&
    "code" in error &&
    (error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND") &&
    // a package that is there but lacks one of its own is broken, not missing
    error.message.includes(packageName);
  if (!isAbsent) return undefined;
  return new PalimpsestError("missing-package", `${packageName} is not installed. Run: npm install ${packageName}`);
}
