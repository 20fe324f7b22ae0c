import { missingPackage } from "../../core/missing-package.ts";

/** Imports a package that only users of one integration have. If it is missing, the error says how to install it. */
export async function loadPackage<Module>(packageName: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    throw missingPackage(packageName, error) ?? error;
  }
}
