const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** A duration as requests write it ("5m", "24h"), in milliseconds; undefined where it is none. */
export function durationMs(value: unknown): number | undefined {
  const [, amount, unit = ""] = typeof value === "string" ? (/^(\d{1,6})([smh])$/.exec(value) ?? []) : [];
  const unitMs = UNIT_MS[unit];
  return unitMs === undefined ? undefined : Number(amount) * unitMs;
}
