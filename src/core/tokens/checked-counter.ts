import { assertFunction, describeValue } from "../assert.ts";
import { PalimpsestError } from "../errors.ts";
import type { CountTokens } from "../message/message.ts";
import { countContentTokens } from "./count-content.ts";

// One checked counter per counter, and itself for those: whatever is cached per counter stays valid.
const checkedCounters = /* @__PURE__ */ new WeakMap<CountTokens, CountTokens>([
  [countContentTokens, countContentTokens],
]);

/**
 * The same counter, refusing to go on with anything but a finite count of at least 0: one `NaN`, or a promise, would
 * spoil every sum, budget and stored fold that it enters.
 */
export function checkedCounter(countTokens: CountTokens = countContentTokens): CountTokens {
  assertFunction("countTokens", countTokens);
  const known = checkedCounters.get(countTokens);
  if (known !== undefined) return known;
  const checked: CountTokens = (content) => {
    const count: unknown = countTokens(content);
    if (typeof count === "number" && Number.isFinite(count) && count >= 0) return count;
    const found = count instanceof Promise ? "a promise" : describeValue(count);
    throw new PalimpsestError(
      "invalid-argument",
      `countTokens returned ${found}; it must return a finite number of at least 0, at once.`,
    );
  };
  checkedCounters.set(countTokens, checked);
  checkedCounters.set(checked, checked);
  return checked;
}
