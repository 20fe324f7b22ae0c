import { assert } from "../../core/assert.ts";

// PostgreSQL truncates longer names without an error, so that two schemas could become one
const MAX_NAME_BYTES = 63;

/** Throws on a schema name that PostgreSQL refuses, truncates or reserves. */
export function assertSchemaName(name: unknown): asserts name is string {
  const isAllowed =
    typeof name === "string" &&
    name.length > 0 &&
    !/[\0\p{Surrogate}]/u.test(name) &&
    Buffer.byteLength(name) <= MAX_NAME_BYTES &&
    !/^pg_/i.test(name) &&
    name !== "information_schema";
  assert(isAllowed, "schema", name, `1 to ${MAX_NAME_BYTES} bytes of text, and none of PostgreSQL's own schemas`);
}

/** Quotes a name for SQL, whatever characters it has. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
