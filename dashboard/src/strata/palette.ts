import type { CellState } from "../api/strata-types.ts";

/** The colours of the style sheet, which a canvas does not take by their names. */
export interface Palette {
  readonly surface: string;
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly accent: string;
  readonly hover: string;
  readonly bars: string;
  /** Behind what is hidden. */
  readonly scraped: string;
  readonly states: Readonly<Record<CellState, string>>;
  readonly speakers: Readonly<Record<string, string>>;
}

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    surface: color("surface"),
    ink: color("ink"),
    muted: color("muted"),
    line: color("line"),
    accent: color("accent"),
    hover: color("accent-soft"),
    bars: color("cached"),
    scraped: color("scraped"),
    states: {
      sent: color("sent"),
      cached: color("cached"),
      "stand-in": color("stand-in"),
      hidden: color("hidden"),
      restored: color("restored"),
    },
    speakers: {
      you: color("user"),
      model: color("assistant"),
      tool: color("toolResults"),
      Palimpsest: color("standIns"),
    },
  };
}

/** Calls back when the system changes between dark and light. Returns what ends it. */
export function watchPalette(listener: () => void): () => void {
  const wish = matchMedia("(prefers-color-scheme: dark)");
  wish.addEventListener("change", listener);
  return () => wish.removeEventListener("change", listener);
}
