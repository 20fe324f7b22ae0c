/** The factor for messages that were said in the time that a query names. */
const ASKED_TIME_WEIGHT = 1.3;
/** How long after a time messages still count: people speak of a day for some days. */
const TOLD_LATER_MS = 7 * 86_400_000;

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\\.?";
const DAY = "(\\d{1,2})(?:st|nd|rd|th)?";
const YEAR = "((?:19|20)\\d\\d)";
const DAY_MONTH = new RegExp(`\\b${DAY} (?:of )?${MONTH}(?:,? ${YEAR})?\\b`, "i");
const MONTH_DAY = new RegExp(`\\b${MONTH} ${DAY}(?:,? ${YEAR})?\\b`, "i");
const MONTH_YEAR = new RegExp(`\\b${MONTH},? ${YEAR}\\b`, "i");
const MONTH_ALONE = new RegExp(
  `\\b(?:in|last|since|during|of|early|late|mid) (?:early |late |mid[- ])?${MONTH}(?![a-z])`,
  "i",
);
const ISO_DAY = /\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b/;
const YEAR_ALONE = new RegExp(`\\b(?:in|of|during|since) ${YEAR}\\b`, "i");

interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Returns the factor of a message by its time: for `in May 2024`, messages of that month and of the days after it count more. A month without a year is
 * the last one of that name before `newestMs`, the time of the newest message. Messages without a time have the factor 1.
 */
export function timeWeigher(query: string, newestMs: number | undefined): (ts: number | undefined) => number {
  const range = newestMs === undefined ? undefined : askedRange(query, newestMs);
  if (range === undefined) return () => 1;
  return (ts) => (ts !== undefined && ts >= range.fromMs && ts < range.toMs + TOLD_LATER_MS ? ASKED_TIME_WEIGHT : 1);
}

/** The time range that a query names, in UTC; undefined where it names none. */
export function askedRange(query: string, newestMs: number): TimeRange | undefined {
  const iso = ISO_DAY.exec(query);
  if (iso !== null) return rangeOf({ year: iso[1], month: Number(iso[2]) - 1, day: iso[3] }, newestMs);
  const dayMonth = DAY_MONTH.exec(query);
  if (dayMonth !== null) return rangeOf({ day: dayMonth[1], month: monthOf(dayMonth[2]), year: dayMonth[3] }, newestMs);
  const monthDay = MONTH_DAY.exec(query);
  if (monthDay !== null) return rangeOf({ month: monthOf(monthDay[1]), day: monthDay[2], year: monthDay[3] }, newestMs);
  const monthYear = MONTH_YEAR.exec(query);
  if (monthYear !== null) return rangeOf({ month: monthOf(monthYear[1]), year: monthYear[2] }, newestMs);
  const month = MONTH_ALONE.exec(query);
  if (month !== null) return rangeOf({ month: monthOf(month[1]) }, newestMs);
  const year = YEAR_ALONE.exec(query);
  return year === null ? undefined : rangeOf({ year: year[1] }, newestMs);
}

function monthOf(name = ""): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase());
}

interface AskedDate {
  readonly year?: string | undefined;
  readonly month?: number;
  readonly day?: string | undefined;
}

function rangeOf({ year, month, day }: AskedDate, newestMs: number): TimeRange | undefined {
  if (month === undefined) return year === undefined ? undefined : spanOf(Number(year), 0, 12);
  const newestYear = new Date(newestMs).getUTCFullYear();
  const thisYear = Date.UTC(newestYear, month) <= newestMs ? newestYear : newestYear - 1;
  const ofYear = year === undefined ? thisYear : Number(year);
  if (day === undefined) return spanOf(ofYear, month, month + 1);
  return { fromMs: Date.UTC(ofYear, month, Number(day)), toMs: Date.UTC(ofYear, month, Number(day) + 1) };
}

function spanOf(year: number, fromMonth: number, toMonth: number): TimeRange {
  return { fromMs: Date.UTC(year, fromMonth), toMs: Date.UTC(year, toMonth) };
}
