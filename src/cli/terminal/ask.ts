import { once } from "node:events";
import { createInterface } from "node:readline/promises";

/** Whether the person agrees. */
export type Ask = (question: string) => Promise<boolean>;

/** Asks on the terminal; undefined where there is none. */
export function askOnTerminal(): Ask | undefined {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return undefined;
  return async (question) => {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    // Whoever ends the input instead of answering has not agreed; older versions of Node then leave the question open.
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
