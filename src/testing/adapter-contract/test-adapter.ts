import type { WireAdapter } from "../../core/ports/wire-adapter.ts";
import type { AdapterContractCase, AdapterFixtures } from "./contract-case.ts";
import { readCases } from "./read-cases.ts";
import { replyCases } from "./reply-cases.ts";
import { writeCases } from "./write-cases.ts";

/**
 * What every adapter promises, for any test runner. The folds are the same for all of them; the fixtures say how the wire looks.
 *
 * @example
 * ```ts
 * import { WIRE_ADAPTERS } from "palimpsest/gateway";
 * import { testAdapter } from "palimpsest/testing";
 * const fixtures = { path: "/v1/messages", body: () => ({ messages: [] }), strangers: [], replies: [], refusalOf: async () => undefined };
 * const cases = WIRE_ADAPTERS.flatMap((adapter) => testAdapter(adapter, fixtures));
 * console.log(cases.every(({ name, run }) => name !== "" && typeof run === "function")); // true
 * ```
 */
export function testAdapter(adapter: WireAdapter, fixtures: AdapterFixtures): readonly AdapterContractCase[] {
  const context = { adapter, fixtures };
  return [...readCases(context), ...writeCases(context), ...replyCases(context)];
}
