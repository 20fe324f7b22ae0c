const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The number of days after which a date is shown. */
const MAX_DAYS = 30;

/** The age of a time in words: just now, 5 minutes ago, 3 days ago; a date if it is longer ago. */
export function relativeTime(at: number, now: number): string {
  const ageMs = now - at;
  if (ageMs < MINUTE_MS) return "just now";
  if (ageMs < HOUR_MS) return ago(ageMs / MINUTE_MS, "minute");
  if (ageMs < DAY_MS) return ago(ageMs / HOUR_MS, "hour");
  if (ageMs < (MAX_DAYS + 1) * DAY_MS) return ago(ageMs / DAY_MS, "day");
  // A record that was written by hand may hold a time that is outside of the range of dates.
  return Math.abs(at) <= 8.64e15 ? new Date(at).toISOString().slice(0, 10) : "long ago";
}

function ago(amount: number, unit: string): string {
  const whole = Math.floor(amount);
  return `${whole} ${unit}${whole === 1 ? "" : "s"} ago`;
}
