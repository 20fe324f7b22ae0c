import { once } from "node:events";
import { createInterface } from "node:readline/promises";

/** Asks a yes-or-no question; resolves with whether the person agrees. */
export type Ask = (question: string) => Promise<boolean>;

/** Returns a function that asks on the terminal; undefined if there is no terminal. */
export function askOnTerminal(): Ask | undefined {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
  return async (question) => {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    // The end of input (Ctrl-D) counts as no. Older versions of Node never settle the question then.
    const unanswered = once(terminal, "close").then(() => "");
    const answered = terminal.question(`${question} [y/N] `).catch(() => "");
    try {
      const answer = await Promise.race([answered, unanswered]);
      return /^y(es)?$/i.test(answer.trim());
    } finally {
      terminal.close();
    }
  };
}
