import { styleText } from "node:util";

/** A stream that a command writes to, such as `process.stdout`. */
export interface Output {
  readonly isTTY?: boolean;
  /** The width of the terminal. */
  readonly columns?: number;
  write(text: string): unknown;
}

// Wider lines are hard to read. Without a terminal, the reader's width is unknown.
const MAX_COLUMNS = 100;
const MIN_COLUMNS = 40;

/** The number of columns that a line may take. */
export function columnsOf({ isTTY, columns }: Output): number {
  if (isTTY !== true || columns === undefined || columns <= 0) return MAX_COLUMNS;
  return Math.max(MIN_COLUMNS, Math.min(MAX_COLUMNS, columns));
}

/** A value as a command prints it with `--json`. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** Functions that style parts of the output. */
export interface Style {
  heading(text: string): string;
  bar(text: string): string;
  faint(text: string): string;
  warning(text: string): string;
}

/** Variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Colours on a terminal, unless `NO_COLOR` is set or the terminal is "dumb"; plain text otherwise. */
export function styleFor({ isTTY }: Output, environment: Environment): Style {
  const isPlain = isTTY !== true || (environment.NO_COLOR ?? "") !== "" || environment.TERM === "dumb";
  const styled = (format: "bold" | "cyan" | "dim" | "yellow") => (text: string) =>
    isPlain || text === "" ? text : styleText(format, text, { validateStream: false });
  return { heading: styled("bold"), bar: styled("cyan"), faint: styled("dim"), warning: styled("yellow") };
}
