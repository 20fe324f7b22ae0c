/** Numbers, money and times as people read them; always in English, whatever the browser's language. */

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export function wholeNumber(value: number): string {
  return WHOLE.format(value);
}

/** 950 → "950", 12_345 → "12.3k", 50_000 → "50k", 1_234_567 → "1.23M". */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size < 1_000) return WHOLE.format(value);
  if (size < 100_000) return `${Number((value / 1_000).toFixed(1))}k`;
  return size < 1_000_000 ? `${Math.round(value / 1_000)}k` : `${Number((value / 1_000_000).toFixed(2))}M`;
}

/** To the cent; below ten cents with two digits more, so that single requests can be compared. */
export function usd(value: number | undefined): string {
  if (value === undefined) return "price not known";
  const sign = value < 0 ? "−" : "";
  const size = Math.abs(value);
  if (size === 0) return "$0";
  if (size < 0.0001) return `${sign}$${size.toPrecision(1)}`;
  return `${sign}$${size.toFixed(size < 0.1 ? 4 : 2)}`;
}

export function percent(share: number): string {
  const value = share * 100;
  return `${value > 0 && value < 1 ? value.toFixed(1) : Math.round(value)} %`;
}

export function byteSize(bytes: number): string {
  if (bytes < 1_024) return `${WHOLE.format(bytes)} B`;
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** "3 minutes ago". */
export function timeAgo(at: number, now: number): string {
  const [unit, length] = UNITS.find(([, size]) => now - at >= size) ?? ["second", 1_000];
  const count = Math.max(0, Math.floor((now - at) / length));
  if (unit === "second" && count < 10) return "just now";
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}

/** "one message", "3 messages". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? `one ${one}` : `${WHOLE.format(count)} ${many}`;
}
