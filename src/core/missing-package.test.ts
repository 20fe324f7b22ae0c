import { expect, test } from "vitest";
import { isPackageMissing, missingPackage } from "./missing-package.ts";

const failure = (message: string, code = "ERR_MODULE_NOT_FOUND") => Object.assign(new Error(message), { code });

test.each([
  ["an import", failure("Cannot find package '@langchain/core' imported from /app/index.js")],
  ["a require", failure("Cannot find module '@langchain/core'\nRequire stack:\n- /app/index.js", "MODULE_NOT_FOUND")],
  ["a require of a part of it", failure("Cannot find module '@langchain/core/messages'", "MODULE_NOT_FOUND")],
])("says how to install the package that %s did not find", (_, error) => {
  expect(missingPackage("@langchain/core", error)).toMatchObject({
    code: "missing-package",
    message: "@langchain/core is not installed. Run: npm install @langchain/core",
  });
});

test.each([
  [
    "a package that lacks one of its own",
    failure("Cannot find package 'zod' imported from /app/node_modules/@langchain/core/dist/index.js"),
  ],
  ["a package with a longer name", failure("Cannot find package '@langchain/core-next' imported from /app/index.js")],
  ["an error of the package's own", new Error("'@langchain/core' needs a newer Node")],
  ["what is no error", "Cannot find package '@langchain/core'"],
])("leaves %s as it is", (_, error) => {
  expect(missingPackage("@langchain/core", error)).toBeUndefined();
  expect(isPackageMissing("@langchain/core", error)).toBe(false);
});
