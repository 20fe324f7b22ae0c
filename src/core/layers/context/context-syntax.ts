import type { CountTokens } from "../../message/message.ts";

/** Names and values; those without a value are left out. */
export type ContextAttributes = Readonly<Record<string, string | number | undefined>>;

/**
 * How the parts of a context are written. Each fragment starts with a mark and ends in a line break: so counts of fragments add up
 * to that of the whole.
 */
export interface ContextSyntax {
  element(tag: string, attributes: ContextAttributes, text: string): string;
  /** Before the elements of a group; the outermost one has depth 1. */
  open(tag: string, depth: number): string;
  /** After them. */
  close(tag: string): string;
}

/** How a context is written and measured. */
export interface Rendering {
  readonly syntax: ContextSyntax;
  readonly countTokens: CountTokens;
}
