import { PalimpsestError } from "../../core/errors.ts";

/** Imports a package that only users of one integration have; says how to install it where it is missing. */
export async function loadPackage<Module>(packageName: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    throw missingPackage(packageName, error) ?? error;
  }
}

function missingPackage(packageName: string, error: unknown): PalimpsestError | undefined {
  const isAbsent =
    error instanceof Error &&
    "code" in error &&
    (error.code === "ERR_MODULE_NOT_FOUND" || error.code === "MODULE_NOT_FOUND") &&
    // a package that is there but lacks one of its own is broken, not missing
    error.message.includes(packageName);
  if (!isAbsent) return undefined;
  return new PalimpsestError("missing-package", `${packageName} is not installed. Run: npm install ${packageName}`);
}
