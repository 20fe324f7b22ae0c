import { styleText } from "node:util";
import type { Output } from "./output.ts";

/** How parts of the output stand out. */
export interface Style {
  heading(text: string): string;
  bar(text: string): string;
  faint(text: string): string;
  warning(text: string): string;
}

/** Variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Colours on a terminal, unless `NO_COLOR` is set or the terminal knows none; plain text anywhere else. */
export function styleFor({ isTTY }: Output, environment: Environment): Style {
  const isPlain = isTTY !== true || (environment.NO_COLOR ?? "") !== "" || environment.TERM === "dumb";
  const styled = (format: "bold" | "cyan" | "dim" | "yellow") => (text: string) =>
    isPlain || text === "" ? text : styleText(format, text, { validateStream: false });
  return { heading: styled("bold"), bar: styled("cyan"), faint: styled("dim"), warning: styled("yellow") };
}
