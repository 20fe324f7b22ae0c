/**
 * The dashboard writes down the types of the API's replies by hand, as it imports nothing of the gateway. Here the compiler holds them to what
 * the gateway sends: a field that is renamed or missing fails `npm run check`.
 */
import { expectTypeOf, test } from "vitest";
import type { Statement } from "../../dashboard/src/api/statement-types.ts";
import type { CacheDiagnosis, Decision, RequestEntry, Usage } from "../../dashboard/src/api/types.ts";
import type { CacheDiagnosis as KeptDiagnosis } from "../../src/core/statement/cache-diagnosis.ts";
import type { RequestRecord } from "../../src/core/statement/request-record.ts";
import type { Statement as GatewayStatement } from "../../src/core/statement/statement.ts";
import type { requestEntry } from "../../src/gateway/api/request-entry.ts";

/** What arrives of a value that is sent as JSON: members that are undefined are left out. */
type AsJson<Value> = Value extends readonly (infer Item)[]
  ? readonly AsJson<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value as undefined extends Value[Key] ? never : Key]: AsJson<Value[Key]> } & {
        readonly [Key in keyof Value as undefined extends Value[Key] ? Key : never]?: AsJson<
          Exclude<Value[Key], undefined>
        >;
      }
    : Value;

test("the page's types of requests and statements are what the gateway sends", () => {
  expectTypeOf<AsJson<ReturnType<typeof requestEntry>>>().toExtend<Omit<RequestEntry, "body">>();
  expectTypeOf<AsJson<NonNullable<RequestRecord["usage"]>>>().toExtend<Usage>();
  expectTypeOf<AsJson<KeptDiagnosis>>().toExtend<CacheDiagnosis>();
  expectTypeOf<AsJson<ReturnType<typeof requestEntry>["decision"]>>().toExtend<Decision>();
  expectTypeOf<AsJson<GatewayStatement>>().toExtend<Statement>();
});
