import type { SQLOutputValue } from "node:sqlite";
import { damaged } from "./store-error.ts";

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** The number in a column; throws "store-damaged" where the column has anything else. */
export function integerOf(row: Row, column: string, path: string): number {
  const value = row[column];
  if (typeof value !== "number") throw damaged(path, `a number was expected in the column ${column}`);
  return value;
}

/** The text in a column; throws "store-damaged" where the column has anything else. */
export function textOf(row: Row, column: string, path: string): string {
  const value = row[column];
  if (typeof value !== "string") throw damaged(path, `a text was expected in the column ${column}`);
  return value;
}
