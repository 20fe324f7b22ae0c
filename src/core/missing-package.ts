import { PalimpsestError } from "./errors.ts";

/** The error to throw where an import failed because the user has not installed the package; undefined for other failures. */
export function missingPackage(packageName: string, error: unknown): PalimpsestError | undefined {
  if (!isPackageMissing(packageName, error)) return undefined;
  return new PalimpsestError("missing-package", `${packageName} is not installed. Run: npm install ${packageName}`);
}

/** Whether an import failed because this package, not one of its dependencies, is not installed. */
export function isPackageMissing(packageName: string, error: unknown): boolean {
  const isNotFound =
    error instanceof Error &&
    "code" in error &&
    (error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND");
  // A package that is there but lacks a dependency is broken, not missing: the message then names ours in a path only.
  return isNotFound && [`'${packageName}'`, `'${packageName}/`].some((named) => error.message.includes(named));
}
