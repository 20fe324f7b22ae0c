import { appendCases } from "./append-cases.ts";
import { argumentCases } from "./argument-cases.ts";
import { checkpointCases } from "./checkpoint-cases.ts";
import { closeCases } from "./close-cases.ts";
import type { StoreContractCase } from "./contract-case.ts";
import { lockCases } from "./lock-cases.ts";
import { readCases } from "./read-cases.ts";
import { searchCases } from "./search-cases.ts";
import { sessionCases } from "./session-cases.ts";

/**
 * What every store promises, for any test runner:
 * `for (const { name, run } of storeContract) test(name, () => run(open));`
 *
 * Beyond the port's own words: a session key that leads nowhere gives `missing` (append), `false` (releaseLock,
 * deleteCheckpoint), nothing (search) or "not-found" (read, acquireLock, saveCheckpoint, listCheckpoints). Search breaks
 * ties by the session key, then the version, both descending. A lock that has run out is none to release. Arguments are
 * refused with "invalid-argument", all use after closing with "store-failed", both as rejections.
 * @example
 * ```ts
 * import { memoryStore } from "palimpsest/stores/memory";
 * import { storeContract } from "palimpsest/testing";
 * for (const { run } of storeContract) await run(async () => memoryStore());
 * console.log(storeContract.length > 20); // true
 * ```
 */
export const storeContract: readonly StoreContractCase[] = [
  ...sessionCases,
  ...appendCases,
  ...readCases,
  ...searchCases,
  ...lockCases,
  ...checkpointCases,
  ...argumentCases,
  ...closeCases,
];
