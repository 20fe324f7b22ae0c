/** With separators, the same in every locale: 127,660. */
export function formatCount(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** A number and its noun: 1 message, 1,204 messages. */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A share as a person reads it: 48 %, and < 1 % for what is more than nothing. */
export function formatShare(share: number): string {
  return share > 0 && share < 0.01 ? "< 1 %" : `${Math.round(100 * share)} %`;
}

const UNITS: Readonly<Record<string, number>> = { "": 1, k: 1_000, m: 1_000_000 };

/** A whole number as people write it: 8000, 8_000, 8,000, 8k, 1.5m; undefined for anything else. */
export function parseCount(text: string): number | undefined {
  const match = /^(\d+(?:[_,]\d{3})*(?:\.\d+)?)([km]?)$/i.exec(text.trim());
  if (match === null) return undefined;
  const [, digits = "", unit = ""] = match;
  const value = Number(digits.replace(/[_,]/g, "")) * (UNITS[unit.toLowerCase()] ?? 1);
  const rounded = Math.round(value);
  // 1.1 × 1,000 is not exact in binary, but 1.5 tokens are no number of tokens.
  return Math.abs(value - rounded) < 1e-6 && Number.isSafeInteger(rounded) ? rounded : undefined;
}
