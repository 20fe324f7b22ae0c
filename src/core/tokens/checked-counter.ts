import { assertFunction, describeValue } from "../assert.ts";
import { PalimpsestError } from "../errors.ts";
import type { CountTokens } from "../message/message.ts";
import { countContentTokens } from "./count-content.ts";

// One checked counter per counter, and each checked counter maps to itself, so that caches keyed by counter stay valid.
const checkedCounters = /* @__PURE__ */ new WeakMap<CountTokens, CountTokens>([
  [countContentTokens, countContentTokens],
]);

/**
 * Wraps a counter so that it throws "invalid-argument" where it returns anything but a finite number of at least 0: one `NaN`, or a
 * promise, would spoil every sum, budget and stored fold that it enters.
 */
export function checkedCounter(countTokens: CountTokens = countContentTokens): CountTokens {
  assertFunction("countTokens", countTokens);
  const cached = checkedCounters.get(countTokens);
  if (cached !== undefined) return cached;
  const checked: CountTokens = (content) => {
    const count: unknown = countTokens(content);
    if (typeof count === "number" && Number.isFinite(count) && count >= 0) return count;
    const returned = count instanceof Promise ? "a promise" : describeValue(count);
    throw new PalimpsestError(
      "invalid-argument",
      `countTokens returned ${returned}; it must return a finite number of at least 0, at once.`,
    );
  };
  checkedCounters.set(countTokens, checked);
  checkedCounters.set(checked, checked);
  return checked;
}
