import assert from "node:assert/strict";
import { tryParseJson } from "../../core/json/parse-json.ts";
import { asRecord } from "../../core/json/read-json.ts";
import type { WireAdapter } from "../../core/ports/wire-adapter.ts";
import { type AdapterContractCase, type AdapterFixtures, bodyText, type ContractContext } from "./contract-case.ts";
import { readCases } from "./read-cases.ts";
import { writeCases } from "./write-cases.ts";

/**
 * The contract of adapters as cases for any test runner. The folds are the same for all adapters; the fixtures give requests and replies of the
 * wire.
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

const PIECE_LENGTHS = [1, 2, 3, 7, 64, Number.MAX_SAFE_INTEGER];
const ALLOWANCE = 17;

function replyCases(context: ContractContext): readonly AdapterContractCase[] {
  const { adapter, fixtures } = context;
  return [
    {
      name: "finds what a reply reports as used, in whatever pieces it comes",
      run: async () => {
        for (const { text, usage } of fixtures.replies) {
          for (const length of PIECE_LENGTHS) {
            const follower = adapter.followReply();
            for (let at = 0; at < text.length; at += length) follower.push(text.slice(at, at + length));
            assert.deepEqual(follower.usage(), usage, `in pieces of ${length}: ${text.slice(0, 80)}`);
            assert.equal(follower.stage(), "speaking");
          }
        }
      },
    },
    {
      name: "reports nothing before there was anything",
      run: async () => {
        assert.equal(adapter.followReply().usage(), undefined);
        assert.equal(adapter.followReply().failure(), undefined);
      },
    },
    {
      name: "limits a reply, and changes nothing else",
      run: async () => {
        const { allowance } = fixtures;
        const before = bodyText(context, 2, 1);
        const limited = adapter.limitReply(before, ALLOWANCE);
        if (allowance === undefined) return assert.equal(limited, before);
        const [one, other] = [asRecord(tryParseJson(before)), asRecord(tryParseJson(limited))];
        assert(Number(one?.[allowance]) > ALLOWANCE, `fixtures.body has no field ${allowance} above ${ALLOWANCE}`);
        assert.deepEqual(other, { ...one, [allowance]: ALLOWANCE });
        assert.equal(adapter.limitReply(before, Number(one?.[allowance])), before);
        assert.equal(limited.length, before.length - String(one?.[allowance]).length + String(ALLOWANCE).length);
      },
    },
  ];
}
