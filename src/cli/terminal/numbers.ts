/** A rounded number with thousands separators, the same in every locale: 127,660. */
export function formatCount(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

/** A number and its noun: 1 message, 1,204 messages. */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A share as a percentage: 48 %, and < 1 % for a small share above 0. */
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
  // 1.1k is not exact in binary, so that a small error is allowed; but 1.5 is no whole number.
  return Math.abs(value - rounded) < 1e-6 && Number.isSafeInteger(rounded) ? rounded : undefined;
}

const BYTE_UNITS = ["bytes", "kB", "MB", "GB", "TB"] as const;

/** A size as a person reads it: 512 bytes, 1.4 MB. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${BYTE_UNITS[power]}`;
}

/** An amount as a person reads it: $3.21, $0.0042, −$0.05. */
export function formatUsd(usd: number): string {
  const amount = Math.abs(usd);
  const digits = amount > 0 && amount < 0.1 ? 4 : 2;
  const shown = amount.toFixed(digits);
  const sign = usd < 0 && Number(shown) > 0 ? "−" : "";
  return `${sign}$${Number(shown) === 0 ? "0.00" : shown}`;
}

const MINUTE_MS = 60_000;
const TIMES: Readonly<Record<string, number>> = {
  s: 1_000,
  m: MINUTE_MS,
  h: 60 * MINUTE_MS,
  d: 24 * 60 * MINUTE_MS,
  w: 7 * 24 * 60 * MINUTE_MS,
};
const SIZES: Readonly<Record<string, number>> = { kb: 1e3, mb: 1e6, gb: 1e9, tb: 1e12 };

/** A time as people write it, in milliseconds: 30s, 10m, 12h, 90d, 8w; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,6})\s?([smhdw])$/i.exec(text.trim());
  if (match === null) return undefined;
  return Number(match[1]) * (TIMES[match[2]?.toLowerCase() ?? ""] ?? Number.NaN);
}

/** A size as people write it, in bytes: 500MB, 1.5 GB; undefined for anything else. */
export function parseBytes(text: string): number | undefined {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)\s?(kb|mb|gb|tb)$/i.exec(text.trim());
  if (match === null) return undefined;
  return Math.round(Number(match[1]) * (SIZES[match[2]?.toLowerCase() ?? ""] ?? Number.NaN));
}
