import type { Message } from "../../message/message.ts";
import { scanNames } from "../identifiers/scan-names.ts";
import { messageParts } from "../view/message-parts.ts";
import { sourceForms } from "./line-forms.ts";

/** The log before a boundary, line by line. */
export interface SourceLines {
  /** Every line in each of its forms. */
  readonly lines: ReadonlySet<string>;
  /** The lines that show each of the identifiers asked for, newest last, each once. */
  readonly linesWith: ReadonlyMap<string, readonly string[]>;
}

/** Indexes `messages` for the identifiers that will be asked for. */
export function indexSourceLines(messages: readonly Message[], identifiers: ReadonlySet<string>): SourceLines {
  const lines = new Set<string>();
  const linesWith = new Map<string, Set<string>>();
  const add = (line: string) => {
    const forms = sourceForms(line);
    const [whole = ""] = forms;
    if (whole === "") return;
    for (const form of forms) lines.add(form);
    for (const { value } of scanNames(whole)) {
      if (!identifiers.has(value)) continue;
      const found = linesWith.get(value) ?? new Set();
      linesWith.set(value, found);
      // Deleted first, so that the newest comes last.
      found.delete(whole);
      found.add(whole);
    }
  };
  for (const message of messages) {
    for (const part of messageParts(message)) {
      for (const line of part.otherForms) add(line);
      for (const line of part.lines) add(line);
    }
  }
  return { lines, linesWith: new Map(Array.from(linesWith, ([value, found]) => [value, [...found]])) };
}
