/**
 * How much the chaos tests do. `npm test` runs short versions of some with a fixed seed; `npm run test:chaos` runs all of it and prints the
 * figures. PALIMPSEST_CHAOS_SEED repeats the choices of a run, though not the instants at which machines are fast or slow.
 */
import { appendFileSync } from "node:fs";

const { PALIMPSEST_CHAOS, PALIMPSEST_CHAOS_SEED, PALIMPSEST_CHAOS_FIGURES } = process.env;

export const isFull = PALIMPSEST_CHAOS === "full";

export const CHAOS_SEED = Number(PALIMPSEST_CHAOS_SEED ?? 1);

/** One number, or one list, for a full run, another for the short version. */
export function sized<Size>({ full, short }: { readonly full: Size; readonly short: Size }): Size {
  return isFull ? full : short;
}

/** Keeps figures for the end of a full run. */
export function tellFigures(title: string, figures: Readonly<Record<string, number | string>>): void {
  if (!PALIMPSEST_CHAOS_FIGURES) return;
  const shown = Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  appendFileSync(PALIMPSEST_CHAOS_FIGURES, `${title} (seed ${CHAOS_SEED}): ${shown.join(", ")}\n`);
}

/** Keeps lines for the end of a full run. */
export function tellLines(lines: readonly string[]): void {
  if (PALIMPSEST_CHAOS_FIGURES) appendFileSync(PALIMPSEST_CHAOS_FIGURES, `${lines.join("\n")}\n`);
}
